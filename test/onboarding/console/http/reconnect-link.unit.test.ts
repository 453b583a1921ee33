import { describe, expect, test } from 'vitest'
import { reconnectLinkLocals } from '../../../../src/onboarding/console/http/locals/reconnect-link.ts'
import { installedLanguages } from '../../../../src/onboarding/http/languages.ts'
import { openMemoryWorld } from '../../../support/memory/world.ts'

const url = 'https://connect.example.com/connect/token'

async function newLink(locale?: string) {
  const world = await openMemoryWorld()
  const connection = { ...(await world.addConnection()), status: 'needs_relink' as const }
  const createdAt = new Date('2026-11-18T10:00:00Z')
  const endUser = { id: 'dispatch-lead', email: 'dispatch-lead@freight.example', displayName: 'Dispatch lead', locale }
  const session = { createdAt, expiresAt: new Date('2026-11-21T10:00:00Z'), endUser }
  const details = {
    connection,
    tenant: await world.tenants.find(connection.tenant),
    integration: world.integrations.find(connection.integration),
  }
  const translator = installedLanguages().forLocale(locale)
  return reconnectLinkLocals({ session: session as never, url }, details, translator)
}

describe('the message of a reconnect link', () => {
  test.each(['en', 'de', 'fr', 'es', 'pt-BR', 'ja'])('contains app, tenant, link and account in %s', async (locale) => {
    const { message, app, facts } = await newLink(locale)

    const [tenant, account] = ['Tenant', 'Account'].map((name) => facts.find((fact) => fact[0] === name)?.[1])
    for (const part of [app, tenant, account, url, '2026']) expect(message.text).toContain(part)
    expect(message.lang).toBe(locale)
    expect(message.text).not.toMatch(/message\.[a-z]|connect\.lead|[<>{}]/)
  })

  test('opens in an email program if the address of the user is known', async () => {
    const { mailto, message } = await newLink()

    const { pathname, searchParams } = new URL(mailto ?? '')
    expect(decodeURIComponent(pathname)).toBe('dispatch-lead@freight.example')
    expect(searchParams.get('body')?.replaceAll('\r\n', '\n')).toBe(message.text)
  })

  test('the page draws a QR code with a margin of four modules', async () => {
    const { qrCode } = await newLink()

    const dark = new Set([...qrCode.path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`))
    const finder = (x: number, y: number) =>
      [0, 1, 2, 3, 4, 5, 6].map((step) => (dark.has(`${x + step} ${y + 3}`) ? '#' : '.')).join('')
    const [first, last] = [4, qrCode.size - 11]
    expect([finder(first, first), finder(last, first), finder(first, last)]).toEqual(Array(3).fill('#.###.#'))
    expect([...dark].some((at) => at.split(' ').some((each) => +each < 4 || +each > qrCode.size - 5))).toBe(false)
  })

  test('the page shows the recipient and the expiry', async () => {
    const { facts } = await newLink()

    expect(facts).toContainEqual(['For', 'Dispatch lead, dispatch-lead@freight.example'])
    expect(facts).toContainEqual(['Expires', 'After 3 days'])
  })
})
