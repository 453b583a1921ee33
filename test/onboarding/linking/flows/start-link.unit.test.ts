import { beforeEach, expect, test } from 'vitest'
import { noteForeignConsent, startLink } from '../../../../src/onboarding/linking/flows/start-link.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { breaks, isAway, refuses } from '../../../support/memory/doubles.ts'
import { byBrowser, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const start = (token: string, browsers: string[] = []) =>
  startLink(world, world.settings, { token, actor: byBrowser, browsers })
const linkOf = async (sessionId: string) => {
  const session = await world.sessions.find(sessionId)
  return session?.linkId === undefined ? undefined : world.links.find(session.linkId)
}

test('a start redirects to the provider and opens a link that only its cookie can follow', async () => {
  const session = await world.addSession()

  const started = await start(session.token)

  expect(started.url).toMatch(/^https:\/\/provider\.example\/authorize/)
  const link = await world.links.find(started.linkId)
  expect(link).toMatchObject({ state: 'authorizing', sessionId: session.id, kind: 'first' })
  expect(link?.browser).toBe(world.tokens.digest(started.browser!))
  expect(JSON.stringify([...world.tables.links.values()])).not.toContain(started.browser)
})

test('a session of a tenant that was suspended since is not started, and can be once it is reactivated', async () => {
  const session = await world.addSession()
  await world.tenants.changeStatus('acme', 'suspended', auditEntry('tenant.suspended'))

  await expect(start(session.token)).rejects.toMatchObject({ code: 'connect_ended' })
  expect(await linkOf(session.id)).toBeUndefined()
  await world.tenants.changeStatus('acme', 'active', auditEntry('tenant.reactivated'))
  await expect(start(session.token)).resolves.toMatchObject({ url: expect.stringContaining('https:') })
})

test('stores the pending authorization before the link', async () => {
  const { token } = await world.addSession()
  const { url, browser } = await start(token)
  const state = new URL(url).searchParams.get('state') as string

  const claim = await world.pending.claim(state, {
    attempt: 'one',
    browsers: [world.tokens.digest(browser!)],
    callback: 'files',
  })

  expect(claim.outcome).toBe('first')
})

test('a provider that does not answer leaves no link, so that the user can try again', async () => {
  const session = await world.addSession()
  const { authorizationUrl } = world.provider
  world.provider.authorizationUrl = isAway('provider_unavailable')
  await expect(start(session.token)).rejects.toMatchObject({ code: 'provider_unavailable' })
  world.provider.authorizationUrl = authorizationUrl

  const before = await linkOf(session.id)
  await start(session.token)

  expect(before).toBeUndefined()
  expect(world.actions().filter((action) => action === 'connect.rejected')).toHaveLength(1)
})

test.each([
  ['mcp_metadata_unusable', 'provider_unusable'],
  ['mcp_server_redirects', 'integration_unavailable'],
] as const)('%s before consent is not reported as an outage', async (cause, code) => {
  const { id, token } = await world.addSession()
  world.provider.authorizationUrl = refuses(cause)

  await expect(start(token)).rejects.toMatchObject({ code })
  expect(world.actions()).toContain('connect.rejected')
  expect(await world.sessions.find(id)).toMatchObject({ cause, linkId: undefined })
})

test('an unexpected error is not treated as a provider outage', async () => {
  const { token } = await world.addSession()
  world.provider.authorizationUrl = breaks

  await expect(start(token)).rejects.toThrow(TypeError)
  expect(world.actions()).not.toContain('connect.rejected')
})

test('a store that forgets what must come back leaves no link', async () => {
  const session = await world.addSession()
  world.pending.put = breaks

  await expect(start(session.token)).rejects.toThrow(TypeError)
  expect(await linkOf(session.id)).toBeUndefined()
})

test('unknown, withdrawn and expired addresses are refused alike, each on record', async () => {
  const withdrawn = await world.addSession()
  await world.sessions.cancel(withdrawn.id, auditEntry('session.cancelled'))
  const expired = await world.addSession({ ttlSeconds: 1 })
  world.clock.pass(2)

  for (const token of ['guess', withdrawn.token, expired.token]) {
    await expect(start(token)).rejects.toMatchObject({ code: 'connect_ended' })
  }
  expect(world.actions().filter((action) => action === 'connect.rejected')).toHaveLength(3)
  expect(world.provider.calls).toEqual([])
})

test('the browser that started a link may go to the provider once more, with the same link', async () => {
  const { token } = await world.addSession()
  const first = await start(token)

  const second = await start(token, [world.tokens.digest(first.browser!)])

  expect(second).toMatchObject({ linkId: first.linkId, browser: undefined })
  expect(world.tables.links.size).toBe(1)
})

test('another browser cannot start a session that was started', async () => {
  const { token } = await world.addSession()
  await start(token)

  await expect(start(token, ['another'])).rejects.toMatchObject({ code: 'connect_ended' })
})

test('of two concurrent starts the second is rejected', async () => {
  const { token, ...session } = await world.addSession()
  const { authorizationUrl } = world.provider
  world.provider.authorizationUrl = async (request) => {
    await world.openLink(session)
    return authorizationUrl(request)
  }

  await expect(start(token)).rejects.toMatchObject({ code: 'connect_ended' })
  expect(world.tables.links.size).toBe(1)
})

test('a removed integration is reported and audited', async () => {
  const { token } = await world.addSession()
  world.removeIntegration('files')

  await expect(start(token)).rejects.toMatchObject({ code: 'integration_unavailable' })
  expect(world.actions()).toContain('connect.rejected')
})

test('a re-link takes the names of its connection and asks for its account', async () => {
  const connection = await world.addConnection()
  const { token } = await world.addSession({ connectionId: connection.id })

  const { url, linkId } = await start(token)

  expect(await world.links.find(linkId)).toMatchObject({
    kind: 'relink',
    connectionId: connection.id,
    connectionName: connection.name,
    functionName: connection.functionName,
  })
  expect(new URL(url).searchParams.get('login_hint')).toBe('user@files.example')
  expect(new URL(url).searchParams.get('prompt')).toBe('consent')
})

test('where secrets cannot be replaced, a re-link has a second name for the connection and the same function', async () => {
  world.settings.connectionPut = false
  const connection = await world.addConnection()
  const { token } = await world.addSession({ connectionId: connection.id })

  const link = await world.links.find((await start(token)).linkId)

  expect(link?.connectionName).not.toBe(connection.name)
  expect(link?.functionName).toBe(connection.functionName)
})

test('a denied re-link can be started again, and the first link stays readable', async () => {
  const connection = await world.addConnection()
  const session = await world.addSession({ connectionId: connection.id })
  const first = await world.move(await world.openLink(session), 'denied', { cause: 'consent_denied' })

  const { linkId } = await start(session.token)

  expect((await linkOf(session.id))?.id).toBe(linkId)
  expect(await world.links.find(first.id)).toMatchObject({ state: 'denied' })
})

test('a re-link of a connection that has ended is not started', async () => {
  const connection = await world.addConnection()
  const { token } = await world.addSession({ connectionId: connection.id })
  world.connections.find = async () => ({ ...connection, status: 'disconnected' })

  await expect(start(token)).rejects.toMatchObject({ code: 'connect_ended' })
})

test('a form that another site sent is on record with the tenant it aimed at, and changes nothing', async () => {
  const { token, id } = await world.addSession()

  await noteForeignConsent(world, { token, actor: byBrowser })
  await noteForeignConsent(world, { token: 'guess', actor: byBrowser })

  const noted = world.tables.audit.filter(({ entry }) => entry.action === 'connect.rejected')
  expect(noted.map(({ entry }) => entry.tenant)).toEqual(['acme', undefined])
  expect(await linkOf(id)).toBeUndefined()
})

test.each(['scope_missing', 'consent_denied'] as const)(
  'O13: after %s the same browser may try again in the same session, and no other',
  async (cause) => {
    const session = await world.addSession()
    const first = await start(session.token)
    const browsers = [world.tokens.digest(first.browser!)]
    const link = (await linkOf(session.id))!
    await world.move(link, cause === 'consent_denied' ? 'denied' : 'failed', { cause })
    const tryAgain = (sent: string[]) =>
      startLink(world, world.settings, { linkId: link.id, actor: byBrowser, browsers: sent })

    await expect(tryAgain(['another'])).rejects.toMatchObject({ code: 'connect_ended' })
    const second = await tryAgain(browsers)

    expect(second.linkId).not.toBe(first.linkId)
    expect(second.url).toContain('prompt=consent')
    expect(await linkOf(session.id)).toMatchObject({ id: second.linkId, state: 'authorizing' })
    await expect(tryAgain(browsers)).rejects.toMatchObject({ code: 'connect_ended' })
  },
)

test('a link that failed for a reason of ours does not begin again by the user’s button', async () => {
  const session = await world.addSession()
  const { browser } = await start(session.token)
  const link = (await linkOf(session.id))!
  await world.move(link, 'failed', { cause: 'client_rejected' })

  await expect(
    startLink(world, world.settings, { linkId: link.id, actor: byBrowser, browsers: [world.tokens.digest(browser!)] }),
  ).rejects.toMatchObject({ code: 'connect_ended' })
})
