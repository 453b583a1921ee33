import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type RelinkWorld, startRelinking, titleOf } from '../../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking()
})
afterAll(() => world.close())

async function pressCancel(url: string, browser = new HttpBrowser()) {
  const { text } = await browser.get(url)
  const [, address = ''] = /<button [^>]*formaction="([^"]+)"/.exec(text) ?? []
  return browser.post(new URL(address, url).href)
}

test('the user returns to the tenant with a signed cancellation', async () => {
  const minted = await world.mint({ locale: 'de' })

  const page = await pressCancel(minted.url)

  const [, back = ''] = /^0; url=(.*)$/.exec(page.headers.get('refresh') ?? '') ?? []
  const query = Object.fromEntries(new URL(back).searchParams)
  const link = await world.linkBy(minted.id)
  expect(back).toMatch(/^https:\/\/acme\.example\/integrations\/return\?/)
  expect(query).toMatchObject({
    connect_session_id: minted.id,
    link_id: link.id,
    status: 'cancelled',
    cause_code: 'user_cancelled',
  })
  expect(query.sig).toMatch(/^[\w-]{43}$/)
  expect(page.text).toContain('Es wurde nichts freigegeben.')
  expect(page.text).toContain('href="https://acme.example/integrations/return?')
})

test('without a return URL, our own page shows the cancellation and offers to retry or go back', async () => {
  const { url } = await world.mintRelink(await world.link())
  const browser = new HttpBrowser()

  const page = await browser.follow(await pressCancel(url, browser))

  expect(titleOf(page)).toBe('You cancelled')
  expect(page.text).toContain('Nothing was connected, and nothing was shared with Acme.')
  expect(page.text).toContain('data-kind="neutral"')
  expect(page.text).toMatch(/<form [^>]*action="\/links\/lnk_\w+\/again"/)
  expect(page.text).toContain('href="https://acme.example/" rel="noreferrer">Back to Acme</a>')
})

test('another site cannot cancel for the user', async () => {
  const minted = await world.mint()

  const { status } = await new HttpBrowser().post(`${minted.url}?cancel`, {}, { Origin: 'https://evil.example' })

  expect(status).toBe(403)
  expect(await world.linkBy(minted.id)).toBeUndefined()
})

describe('after an account mismatch', () => {
  const asStranger = async (more: Record<string, unknown> = {}) => {
    const connection = await world.link()
    world.provider.misbehave({ subject: 'account-2', email: 'second@provider.example' })
    const { page, browser, link } = await world.relink(connection, more)
    world.provider.calm()
    const [, address = ''] = /<form [^>]*method="post" action="([^"]+)"/.exec(page.text) ?? []
    return { connection, browser, link, cancel: new URL(address, world.url).href }
  }

  test('the user can cancel and keep the connection unchanged', async () => {
    const { connection, browser, link, cancel } = await asStranger()

    const page = await browser.follow(await browser.post(cancel))

    expect(titleOf(page)).toBe('You cancelled')
    expect((await world.api('GET', `/links/${link.id}`)).body).toMatchObject({
      status: 'cancelled',
      cause: { code: 'user_cancelled' },
    })
    expect(await world.connection(connection)).toMatchObject({ status: 'active' })
  })

  test('cancelling returns the user to the tenant', async () => {
    const { browser, link, cancel } = await asStranger({ returnUrl: 'https://acme.example/integrations/return' })

    const page = await browser.post(cancel)

    expect(page.headers.get('refresh')).toMatch(/^0; url=https:\/\/acme\.example\/integrations\/return\?/)
    expect(page.headers.get('refresh')).toContain(`link_id=${link.id}`)
    expect(page.headers.get('refresh')).toContain('status=cancelled')
  })

  test('another browser or site cannot cancel', async () => {
    const { browser, link, cancel } = await asStranger()

    const other = await new HttpBrowser().post(cancel)
    const elsewhere = await browser.post(cancel, {}, { Origin: 'https://evil.example' })

    expect([other.status, elsewhere.status]).toEqual([410, 403])
    expect((await world.api('GET', `/links/${link.id}`)).body).toMatchObject({ status: 'pending' })
  })
})
