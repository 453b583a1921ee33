import { beforeEach, describe, expect, test } from 'vitest'
import { showConnectPage } from '../../../../src/onboarding/linking/flows/show-connect-page.ts'
import { noteForeignConsent, startLink } from '../../../../src/onboarding/linking/flows/start-link.ts'
import { discoverServer } from '../../../../src/onboarding/provisioning/flows/discover-server.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { breaks, isAway, refuses } from '../../../support/memory/doubles.ts'
import { notesIssuer } from '../../../support/memory/mcp-servers.ts'
import { byBrowser, type MemoryWorld, notes, openMemoryWorld } from '../../../support/memory/world.ts'

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

test('a suspended tenant’s session cannot start until the tenant is reactivated', async () => {
  const session = await world.addSession()
  await world.tenants.changeStatus('acme', 'suspended', auditEntry('tenant.suspended'))

  await expect(start(session.token)).rejects.toMatchObject({ code: 'connect_ended' })
  expect(await linkOf(session.id)).toBeUndefined()
  await world.tenants.changeStatus('acme', 'active', auditEntry('tenant.reactivated'))
  await expect(start(session.token)).resolves.toMatchObject({ url: expect.stringContaining('https:') })
})

test('a started link has its authorization', async () => {
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

test('an unavailable provider leaves no link, so that the user can retry', async () => {
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

test('the same browser continues a link whose authorization could not be stored', async () => {
  const { token } = await world.addSession()
  const { put } = world.pending
  world.pending.put = breaks
  const cookies: string[] = []
  const opened = (_linkId: string, browser: string) => void cookies.push(world.tokens.digest(browser))
  const first = startLink(world, world.settings, { token, actor: byBrowser, browsers: [], opened })
  await expect(first).rejects.toThrow(TypeError)
  world.pending.put = put

  const second = await start(token, cookies)
  const state = new URL(second.url).searchParams.get('state') as string
  const claim = await world.pending.claim(state, { attempt: 'one', browsers: cookies, callback: 'files' })

  expect(claim).toMatchObject({ outcome: 'first', pending: { link: second.linkId } })
  expect(world.tables.links.size).toBe(1)
})

test('a link that could not be written leaves the session as it was, and no browser gets its cookie', async () => {
  const session = await world.addSession()
  const { open } = world.links
  world.links.open = breaks
  const cookies: string[] = []
  const opened = (_linkId: string, browser: string) => void cookies.push(browser)
  const first = startLink(world, world.settings, { token: session.token, actor: byBrowser, browsers: [], opened })
  await expect(first).rejects.toThrow(TypeError)
  world.links.open = open

  const second = await start(session.token)

  expect(cookies).toEqual([])
  expect(await linkOf(session.id)).toMatchObject({ id: second.linkId })
})

describe('a session whose page was shown', () => {
  const shown = async () => {
    const session = await world.addSession()
    await showConnectPage(world, { token: session.token, actor: byBrowser, browsers: [] })
    return session
  }

  test('is started without reading it again', async () => {
    const { token } = await shown()
    world.sessions.byToken = breaks
    world.sessions.find = breaks

    await expect(start(token)).resolves.toMatchObject({ url: expect.stringContaining('https:') })
  })

  test('is not started if it was cancelled meanwhile', async () => {
    const { id, token } = await shown()
    await world.sessions.cancel(id, auditEntry('session.cancelled'))

    await expect(start(token)).rejects.toMatchObject({ code: 'connect_ended' })
    expect(world.tables.links.size).toBe(0)
    expect(world.tables.audit.at(-1)?.entry).toMatchObject({ facts: { refusal: 'token_withdrawn' } })
  })

  test('is not started if it expired meanwhile', async () => {
    const { token } = await shown()
    const { sessions } = world.tables
    for (const [id, row] of sessions) sessions.set(id, { ...row, expiresAt: new Date(world.now().getTime() - 1) })

    await expect(start(token)).rejects.toMatchObject({ code: 'connect_ended' })
    expect(world.tables.audit.at(-1)?.entry).toMatchObject({ facts: { refusal: 'token_expired' } })
  })

  test('is not started again by another browser', async () => {
    const { token } = await shown()
    await showConnectPage(world, { token, actor: byBrowser, browsers: [] })
    const first = await start(token)
    await world.sessions.byToken(world.tokens.digest(token))

    await expect(start(token, ['another'])).rejects.toMatchObject({ code: 'connect_ended' })
    expect([...world.tables.links.keys()]).toEqual([first.linkId])
  })

  test('started by another process meanwhile, is continued by its own browser only', async () => {
    const session = await shown()
    const link = await world.openLink(session)

    const again = await start(session.token, [link.browser])
    await shownAgain(session.token)

    expect(again.linkId).toBe(link.id)
    await expect(start(session.token)).rejects.toMatchObject({ code: 'connect_ended' })
    expect(world.tables.audit.at(-1)?.entry).toMatchObject({ facts: { refusal: 'token_used' } })
  })

  const shownAgain = (token: string) => world.sessions.byToken(world.tokens.digest(token))
})

test('unknown, cancelled and expired URLs return the same error, each audited', async () => {
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

test('the same browser can go to the provider again with the same link', async () => {
  const { token } = await world.addSession()
  const first = await start(token)

  const second = await start(token, [world.tokens.digest(first.browser!)])

  expect(second).toMatchObject({ linkId: first.linkId, browser: undefined })
  expect(world.tables.links.size).toBe(1)
})

test('another browser cannot start a started session', async () => {
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

test('a re-link reuses the names of its connection and requests its account', async () => {
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

test('a re-link uses a second connection name and the same function if secrets cannot be replaced', async () => {
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

test('does not start a re-link of a disconnected connection', async () => {
  const connection = await world.addConnection()
  const { token } = await world.addSession({ connectionId: connection.id })
  world.connections.find = async () => ({ ...connection, status: 'disconnected' })

  await expect(start(token)).rejects.toMatchObject({ code: 'connect_ended' })
})

test('a form from another site is audited with its tenant, and changes nothing', async () => {
  const { token, id } = await world.addSession()

  await noteForeignConsent(world, { token, actor: byBrowser })
  await noteForeignConsent(world, { token: 'guess', actor: byBrowser })

  const noted = world.tables.audit.filter(({ entry }) => entry.action === 'connect.rejected')
  expect(noted.map(({ entry }) => entry.tenant)).toEqual(['acme', undefined])
  expect(await linkOf(id)).toBeUndefined()
})

test.each(['scope_missing', 'consent_denied'] as const)(
  'O13: after %s only the same browser can retry in the same session',
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

test('the user cannot retry a link that failed due to the operator', async () => {
  const session = await world.addSession()
  const { browser } = await start(session.token)
  const link = (await linkOf(session.id))!
  await world.move(link, 'failed', { cause: 'client_rejected' })

  await expect(
    startLink(world, world.settings, { linkId: link.id, actor: byBrowser, browsers: [world.tokens.digest(browser!)] }),
  ).rejects.toMatchObject({ code: 'connect_ended' })
})

describe('a re-link to an MCP server that rejected our client in a call of the function', () => {
  /** The client of the re-link, at the moment after the call. */
  async function relinkAfterCall(more: { at?: Date } = {}) {
    const integration = world.integrations.find('notes')!
    const config = await discoverServer(world, world.settings, {
      integration,
      tenant: 'acme',
      config: {},
      actor: byBrowser,
    })
    await world.registeredClients.markWorking({ issuer: notesIssuer, clientId: config.client_id! })
    const { id, workspace, name } = await world.addConnection({ integration: 'notes' }, { config })
    const problem = { workspace, connectionName: name, cause: 'client_rejected', scope: undefined } as const
    world.grantProblems.noted.push({ at: world.now(), ...problem, ...more })
    const { token } = await world.addSession({ integration: 'notes', connectionId: id })
    const { linkId } = await start(token)
    return (await world.links.find(linkId))?.config.client_id
  }

  beforeEach(async () => {
    world = await openMemoryWorld({ others: [notes] })
  })

  test('registers another client at once', async () => {
    expect(await relinkAfterCall()).toBe('registered-2')
    expect(world.actions()).toContain('oauth_client.forgotten')
  })

  test('keeps the client if the connection has worked since', async () => {
    expect(await relinkAfterCall({ at: new Date(world.now().getTime() - 60_000) })).toBe('registered-1')
  })

  test('keeps the client while the platform is unavailable', async () => {
    world.grantProblems.of = isAway('platform_unavailable')

    expect(await relinkAfterCall()).toBe('registered-1')
  })
})
