import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { returnUrl } from '../../support/worlds/onboarding-world.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld
beforeAll(async () => {
  world = await startRelinking({
    integration: {
      scopes: [{ name: 'openid' }, { name: 'email' }, { name: 'files.read' }, { name: 'files.write', optional: true }],
      optionalScopes: [{ name: 'calendar.read', description: 'See your calendar' }, { name: 'calendar.write' }],
    },
  })
})
afterAll(() => world.close())

const link = async (more: Parameters<typeof world.mint>[0] = {}) => {
  const minted = await world.mint(more)
  const { query } = await world.consent(minted)
  return world.completeToTheEnd(minted, query)
}
const session = (more: object) =>
  world.api('POST', '/connect-sessions', {
    tenantId: 'acme',
    integrationId: 'provider',
    endUser: { id: 'user-1' },
    returnUrl: 'https://acme.example/integrations/return',
    completionChallenge: verifier.challenge,
    ...more,
  })
const create = (more: object) =>
  world.api('POST', '/connections', {
    tenantId: 'acme',
    integrationId: 'provider',
    endUser: { id: 'user-of-function' },
    ...more,
  })
const read = async (id: string) => (await world.api('GET', `/connections/${id}`)).body
const change = (id: string, body: object) => world.api('PATCH', `/connections/${id}`, body)
const requestedAt = async (url: string) => {
  const browser = new HttpBrowser()
  const { searchParams } = new URL((await browser.follow(await browser.post(url), world.provider.url)).url)
  return searchParams.get('scope')
}

describe('alias and labels', () => {
  test('are those of the session, in the connection, its events and its function', async () => {
    const endUser = { id: 'named' }
    const { connectionId } = await link({ endUser, alias: 'work', labels: { team: 'sales' } })

    const connection = await read(connectionId)

    expect(connection).toMatchObject({ alias: 'work', labels: { team: 'sales' } })
    const { rows } = await world.sql.query(`select payload from outbox where payload ->> 'connectionId' = $1`, [
      connectionId,
    ])
    expect(rows[0].payload).toMatchObject({ alias: 'work', labels: { team: 'sales' } })
    expect(world.platform.functions.get(`acme/${connection.functionName}`)).toMatchObject({
      metadata: { labels: { 'tool-prefix': 'provider-work' } },
    })
  })

  test('two links with one alias both end with a connection, and one has the alias', async () => {
    const minted = [
      await world.mint({ endUser: { id: 'twins' }, alias: 'work' }),
      await world.mint({ endUser: { id: 'twins' }, alias: 'work' }),
    ]
    const queries = await Promise.all(minted.map(async (each) => (await world.consent(each)).query))

    const ended = await Promise.all(minted.map((each, at) => world.completeToTheEnd(each, queries[at] ?? {})))

    const connections = await Promise.all(ended.map(({ connectionId }) => read(connectionId)))
    expect(ended.map(({ status }) => status)).toEqual(['linked', 'linked'])
    expect(connections.map(({ alias }) => alias).filter(Boolean)).toEqual(['work'])
    const prefixes = connections.map(({ functionName }) => {
      const { metadata } = world.platform.functions.get(`acme/${functionName}`) as { metadata: { labels: object } }
      return Object.entries(metadata.labels).find(([name]) => name === 'tool-prefix')?.[1]
    })
    expect(prefixes.filter(Boolean)).toEqual(['provider-work'])
  })

  test('an alias in use is rejected before consent, unless the session may re-link', async () => {
    const endUser = { id: 'taken' }
    const { connectionId } = await link({ endUser, alias: 'work' })

    const refused = await session({ endUser, alias: 'work', ifConnected: 'add' })
    const other = await session({ endUser, alias: 'private', ifConnected: 'add' })
    const again = await link({ endUser, alias: 'work', ifConnected: 'relink' })

    expect(refused).toMatchObject({ status: 409, body: { code: 'alias_taken' } })
    expect(refused.body.detail).toContain(connectionId)
    expect(other.status).toBe(201)
    expect(again).toMatchObject({ status: 'linked', connectionId })
    expect((await read(connectionId)).alias).toBe('work')
  })

  test('change by PATCH, and filter the list', async () => {
    const endUser = { id: 'patched' }
    const one = await link({ endUser, alias: 'work' })
    const two = await link({ endUser })
    const list = async (query: string) =>
      (await world.api('GET', `/connections?endUserId=patched&${query}`)).body.data.map(({ id }: { id: string }) => id)

    const taken = await change(two.connectionId, { alias: 'work' })
    const changed = await change(two.connectionId, { alias: 'private', labels: { team: 'sales', plan: 'a=b' } })
    const empty = await change(two.connectionId, {})

    expect(taken).toMatchObject({ status: 409, body: { code: 'alias_taken' } })
    expect(changed).toMatchObject({ status: 200, body: { alias: 'private', labels: { team: 'sales', plan: 'a=b' } } })
    expect(empty.status).toBe(422)
    expect(await list('alias=work')).toEqual([one.connectionId])
    expect(await list('labels=team%3Dsales%2Cplan%3Da%3Db')).toEqual([two.connectionId])
    expect(await list('labels=team%3Dsupport')).toEqual([])
    const { functionName } = changed.body
    expect(world.platform.functions.get(`acme/${functionName}`)).toMatchObject({
      metadata: { labels: { 'tool-prefix': 'provider-private' } },
    })
    expect((await change(two.connectionId, { alias: null, labels: null })).body).not.toHaveProperty('alias')
  })

  test.each([
    ['an alias with an underscore', { alias: 'a_b' }, '/alias'],
    ['an alias in capitals', { alias: 'Work' }, '/alias'],
    ['a long alias', { alias: 'a'.repeat(21) }, '/alias'],
    ['a label without a value', { labels: { team: '' } }, '/labels/team'],
    ['a value with a comma', { labels: { team: 'a,b' } }, '/labels/team'],
    ['a name with a space', { labels: { 'a b': 'x' } }, '/labels/a b'],
    [
      'too many labels',
      { labels: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`l${at}`, 'x'])) },
      '/labels',
    ],
    ['the prototype', { labels: JSON.parse('{"__proto__": "x"}') }, '/labels/__proto__'],
    ['a prototype that is an object', JSON.parse('{"labels": {"__proto__": {"team": "x"}}}'), '/labels/__proto__'],
  ])('%s is rejected with its place', async (_, more, pointer) => {
    const answer = await session(more)

    expect(answer.status).toBe(422)
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer }))
  })

  test.each(['team', '=x', 'team=a,', 'a b=x', '__proto__=x'])('the filter %j is rejected', async (labels) => {
    const answer = await world.api('GET', `/connections?labels=${encodeURIComponent(labels)}`)

    expect(answer).toMatchObject({ status: 422, body: { errors: [{ parameter: 'labels' }] } })
  })

  test('the names of methods are ordinary labels', async () => {
    const labels = { constructor: 'x', toString: 'y', hasOwnProperty: 'z' }
    const { connectionId } = await link({ endUser: { id: 'methods' }, labels })

    expect((await read(connectionId)).labels).toEqual(labels)
  })
})

describe('scopes', () => {
  test('a session requests those it names, and those that identify the account', async () => {
    const { url } = await world.mint({ scopes: ['files.read', 'calendar.read'] })

    expect(await requestedAt(url)).toBe('openid email files.read calendar.read')
  })

  test('the connect page shows the permissions that the session requests', async () => {
    const { url } = await world.mint({ scopes: ['calendar.read'] })
    const { text } = await new HttpBrowser().get(url)

    expect(text).toContain('See your calendar')
    expect(text).not.toContain('files.read')
  })

  test('a scope that the integration does not allow is rejected with those that it allows', async () => {
    const answer = await session({ scopes: ['files.read', 'drive'] })

    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/scopes/1' }] } })
    expect(answer.body.detail).toContain('openid, email, files.read, files.write, calendar.read, calendar.write')
  })

  test('scopes need one integration', async () => {
    const answer = await session({ integrationId: undefined, integrationIds: ['provider'], scopes: ['files.read'] })

    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/scopes' }] } })
  })

  test('a re-link session adds scopes, and a later re-link keeps them', async () => {
    const connectionId = await world.link({ endUser: { id: 'upgrading' }, scopes: ['files.read'] })
    const before = await read(connectionId)

    const { link: upgraded } = await world.relink(connectionId, { returnUrl, scopes: ['calendar.read'] })
    const between = await read(connectionId)
    const { link: again } = await world.relink(connectionId, { returnUrl })
    const after = await read(connectionId)

    expect([upgraded.status, again.status]).toEqual(['linked', 'linked'])
    expect(before).toMatchObject({ scopes: ['openid', 'email', 'files.read'] })
    expect(before).not.toHaveProperty('missingScopes')
    expect(before).not.toHaveProperty('config')
    expect(between.scopes).toEqual(['openid', 'email', 'files.read', 'calendar.read'])
    expect(after.scopes).toEqual(between.scopes)
  })

  test('a connection that is created first requests those it names, at its first link and later', async () => {
    const created = await create({ scopes: ['files.read', 'files.write', 'calendar.read'] })
    const { id } = created.body
    const sessions = `/connections/${id}/relink-sessions`
    const completion = { reason: 'first', returnUrl, completionChallenge: verifier.challenge }
    const first = await world.api('POST', sessions, completion)
    const added = await world.api('POST', sessions, { ...completion, scopes: ['calendar.write'] })

    expect(created).toMatchObject({ status: 201, body: { status: 'not_linked', scopes: [] } })
    expect(created.body).not.toHaveProperty('config')
    expect(await requestedAt(first.body.url)).toBe('openid email files.read files.write calendar.read')
    expect(await requestedAt(added.body.url)).toBe('openid email files.read files.write calendar.read calendar.write')
  })

  test('a connection is not created with a scope that the integration does not allow', async () => {
    const answer = await create({ scopes: ['files.read', 'drive'] })

    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/scopes/1' }] } })
    expect(answer.body.detail).toContain('openid, email, files.read, files.write, calendar.read, calendar.write')
  })

  test('a re-link session rejects a scope that the integration does not allow', async () => {
    const connectionId = await world.link({ endUser: { id: 'foreign' } })

    const answer = await world.api('POST', `/connections/${connectionId}/relink-sessions`, {
      reason: 'more',
      scopes: ['calendar.read', 'drive'],
    })

    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/scopes/1' }] } })
  })

  test('connecting the account again with fewer scopes asks once more, and loses none', async () => {
    const endUser = { id: 'wider' }
    const connectionId = await world.link({ endUser, scopes: ['files.read', 'calendar.read'] })
    const minted = await world.mint({ endUser, scopes: ['files.read'], ifConnected: 'relink' })
    const first = await world.consent(minted)
    const { body: waiting } = await world.complete(minted, first.query)
    const continueUrl = await waitFor(
      'the link asks for consent again',
      async () => (await world.api('GET', `/links/${waiting.id}`)).body.continueUrl as string | undefined,
    )

    const again = await first.browser.follow(await first.browser.get(continueUrl), 'https://acme.example')
    const ended = await world.completeToTheEnd(minted, Object.fromEntries(new URL(again.url).searchParams))

    expect(ended).toMatchObject({ status: 'linked', purpose: 'relink', connectionId })
    expect((await read(connectionId)).scopes).toContain('calendar.read')
  })

  test('test mode reports a permission that its user left out', async () => {
    const testMode = { name: 'test', tenant: undefined, testMode: true }
    const { key } = await world.world.apiKeys.create(testMode, { kind: 'operator' })
    const api = world.apiAs(key.reveal())
    const tenantId = 'test_scopes'
    await api('PUT', `/tenants/${tenantId}`, { displayName: 'Test', returnUrls: [returnUrl] })
    const { body: minted } = await api('POST', '/connect-sessions', {
      ...{ tenantId, integrationId: 'provider', endUser: { id: 'u' }, returnUrl, testOutcome: 'partial' },
      ...{ alias: 'work', scopes: ['files.read', 'calendar.read'], completionChallenge: verifier.challenge },
    })
    const { query } = await world.consent(minted)
    const proof = { completionCode: query.completion_code, completionVerifier: verifier.text }
    const { body: ended } = await api('POST', `/connect-sessions/${minted.id}/complete`, proof)

    expect((await api('GET', `/connections/${ended.connectionId}`)).body).toMatchObject({
      alias: 'work',
      scopes: ['email', 'files.read'],
      missingScopes: ['calendar.read'],
    })
  })
})

/** The example of RFC 7636, appendix B. */
const verifier = {
  text: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
}
