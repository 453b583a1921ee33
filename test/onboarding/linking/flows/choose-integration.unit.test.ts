import { beforeEach, describe, expect, test } from 'vitest'
import type { ConnectSession } from '../../../../src/onboarding/domain/connect-session.ts'
import type { NewSession } from '../../../../src/onboarding/domain/ports/linking.ts'
import { cancelLink, leaveChoice } from '../../../../src/onboarding/linking/flows/cancel-link.ts'
import { mintConnectSession } from '../../../../src/onboarding/linking/flows/mint-connect-session.ts'
import {
  type ConnectChoice,
  type ConnectOffer,
  showConnectPage,
} from '../../../../src/onboarding/linking/flows/show-connect-page.ts'
import { startLink } from '../../../../src/onboarding/linking/flows/start-link.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { returnUrl } from '../../../support/memory/builders.ts'
import { byBrowser, byKey, client, type MemoryWorld, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const visitor = { actor: byBrowser, browsers: [] as string[] }
const addChoice = (choices: string[] = [], more: Partial<NewSession> = {}) =>
  world.addSession({ integration: undefined, choices, ...more })
const bringMailClient = () =>
  world.tenants.putOwnClient('acme', 'mail', client, auditEntry('tenant.oauth_client_put', { tenant: 'acme' }))
const show = async (token: string, app?: string) => showConnectPage(world, { token, app, ...visitor })
const idsOf = async (token: string) => ((await show(token)) as ConnectChoice).items.map(({ id }) => id)
const start = (token: string, app?: string, browsers: string[] = []) =>
  startLink(world, world.settings, { token, app, actor: byBrowser, browsers })
const found = async ({ id }: ConnectSession) => world.sessions.find(id)

describe('the page', () => {
  test('offers all integrations that the tenant can use, including those with its own client', async () => {
    const { token } = await addChoice()

    const before = await idsOf(token)
    await bringMailClient()

    expect(before).toEqual(['files'])
    expect(await idsOf(token)).toEqual(['files', 'mail'])
  })

  test('offers only the tenant’s choices', async () => {
    await bringMailClient()

    expect(await idsOf((await addChoice(['mail'])).token)).toEqual(['mail'])
  })

  test('shows only this user’s connections', async () => {
    const own = await world.addConnection()
    await world.addConnection({ endUser: { id: 'user-2' } })

    const { connections } = (await show((await addChoice()).token)) as ConnectChoice

    expect(connections.map(({ id }) => id)).toEqual([own.id])
  })

  test('shows the page of the picked app without starting the session', async () => {
    const session = await addChoice()

    const offer = (await show(session.token, 'files')) as ConnectOffer

    expect(offer.integration.id).toBe('files')
    expect((await found(session))?.integration).toBeUndefined()
  })

  test('is shown again for an app that is not a choice', async () => {
    const { token } = await addChoice(['files'])

    expect(await show(token, 'mail')).toHaveProperty('items')
  })

  test('cannot pick an app for a session with a fixed app', async () => {
    await bringMailClient()
    const { token } = await world.addSession()

    expect((await show(token, 'mail')) as ConnectOffer).toMatchObject({ integration: { id: 'files' } })
  })
})

describe('a start', () => {
  test('creates a link to the picked app', async () => {
    const session = await addChoice()

    const { linkId } = await start(session.token, 'files')

    expect(await world.links.find(linkId)).toMatchObject({ integration: 'files' })
    expect(await found(session)).toMatchObject({ integration: 'files', choices: [] })
  })

  test.each([undefined, 'mail', 'unknown'])('with %s as the app is rejected', async (app) => {
    const { token } = await addChoice(['files'])

    await expect(start(token, app)).rejects.toMatchObject({ code: 'integration_unavailable' })
  })

  test('with another app, from the same browser, ends the first link as cancelled', async () => {
    await bringMailClient()
    const session = await addChoice()
    const first = await start(session.token, 'files')
    const browsers = [world.tokens.digest(first.browser!)]

    const second = await start(session.token, 'mail', browsers)

    expect(await world.links.find(first.linkId)).toMatchObject({ state: 'cancelled', cause: 'user_cancelled' })
    expect(await world.links.find(second.linkId)).toMatchObject({ state: 'authorizing', integration: 'mail' })
    expect(await found(session)).toMatchObject({ integration: 'mail', linkId: second.linkId })
  })

  test('from another browser is rejected for every app', async () => {
    const { token } = await addChoice()
    await start(token, 'files')

    await expect(start(token, 'files')).rejects.toMatchObject({ code: 'connect_ended' })
  })

  test('after a declined consent is for the same app again', async () => {
    const session = await addChoice()
    const first = await start(session.token, 'files')
    const link = await world.links.find(first.linkId)
    await world.move(link!, 'denied', { cause: 'consent_denied' })
    const browsers = [world.tokens.digest(first.browser!)]

    const again = await startLink(world, world.settings, { linkId: first.linkId, actor: byBrowser, browsers })

    expect(await world.links.find(again.linkId)).toMatchObject({ integration: 'files', sessionId: session.id })
  })

  test('above the tenant’s limit is rejected before the app is asked', async () => {
    await world.addTenant('acme', { maxConnectionsPerUser: 1 })
    await world.addConnection()
    const [adding, mending] = [await addChoice(), await addChoice([], { ifConnected: 'relink' })]

    await expect(start(adding.token, 'files')).rejects.toMatchObject({ code: 'connection_limit' })
    expect((await start(mending.token, 'files')).url).toContain('https://provider.example')
  })
})

describe('Cancel', () => {
  test('on the picker redirects the browser with a signed outcome, and keeps the session open', async () => {
    const session = await addChoice()

    const left = await leaveChoice(world, { token: session.token, ...visitor })

    const query = new URL(left!.url).searchParams
    expect(left!.url.startsWith(returnUrl)).toBe(true)
    expect(Object.fromEntries(query)).toMatchObject({
      connect_session_id: session.id,
      status: 'cancelled',
      cause_code: 'user_cancelled',
      sig: expect.any(String),
    })
    expect(query.has('link_id')).toBe(false)
    expect(await show(session.token)).toHaveProperty('items')
  })

  test('does not redirect to an unregistered return URL', async () => {
    const session = await addChoice()
    await world.addTenant('acme', { returnUrls: ['https://acme.example/elsewhere'] })

    await expect(leaveChoice(world, { token: session.token, ...visitor })).rejects.toMatchObject({
      code: 'connect_ended',
    })
  })

  test('on the page of a picked app cancels a link of that app', async () => {
    const { token } = await addChoice()

    const { link } = await cancelLink(world, world.settings, { token, app: 'files', ...visitor })

    expect(link).toMatchObject({ integration: 'files', state: 'cancelled' })
  })
})

describe('minting', () => {
  const mint = (choices: string[]) =>
    mintConnectSession(world, world.settings, {
      caller: operator,
      actor: byKey,
      tenant: 'acme',
      integration: undefined,
      choices,
      endUser: { id: 'user-1' },
      returnUrl,
      completionChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      ttlSeconds: undefined,
    })

  test('stores the choices of a session', async () => {
    const { session } = await mint(['files'])

    expect(session).toMatchObject({ integration: undefined, choices: ['files'] })
  })

  test('reports a choice that the tenant cannot use', async () => {
    await expect(mint(['files', 'mail'])).rejects.toMatchObject({
      code: 'input_invalid',
      more: {
        errors: [
          {
            pointer: '/integrationIds/1',
            detail: expect.stringMatching(/^No integration .* is available to this tenant/),
          },
        ],
      },
    })
  })
})
