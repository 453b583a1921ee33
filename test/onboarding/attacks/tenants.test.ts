// Cases 26 to 28, 32 and 33 of the attack catalogue: tenants see, name and hold nothing of each other's.
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describedApi } from '../../../src/onboarding/app.ts'
import type { Failing, SeenRequest } from '../../support/doubles/control-plane.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type AttackWorld, linkOf, queryOf, startAttackWorld, withQuery } from '../../support/worlds/attack-world.ts'
import { returnUrl } from '../../support/worlds/onboarding-world.ts'

let world: AttackWorld
let asGlobex: AttackWorld['api']

beforeAll(async () => {
  world = await startAttackWorld()
  await world.api('PUT', '/tenants/globex', { workspace: 'globex', displayName: 'Globex', returnUrls: [returnUrl] })
  const { key } = await world.world.apiKeys.create({ name: 'globex', tenant: 'globex' }, { kind: 'operator' })
  asGlobex = world.apiAs(key.reveal())
})
afterAll(() => world.close())

describe('case 26, tenant confusion', () => {
  const routes = () => describedApi(world.url).routes
  type Route = ReturnType<typeof routes>[number]

  /** Bodies that would be fine if the thing were the caller's own. */
  const bodies: Record<string, object> = {
    createConnectSession: {
      ...{ tenantId: 'acme', integrationId: 'provider', endUser: { id: 'u' }, returnUrl },
      completionChallenge: 'c'.repeat(43),
    },
    createManageSession: { tenantId: 'acme', endUser: { id: 'u' } },
    createImport: { tenantId: 'acme' },
    createErasure: { tenantId: 'acme', endUser: { id: 'u' } },
    addImportRows: { rows: [{ key: '1', integrationId: 'provider', endUser: { id: 'u' }, refreshToken: 't' }] },
    approveToolList: { hash: 'a'.repeat(64) },
    triggerEvent: { type: 'link.succeeded' },
    completeConnectSession: { completionCode: 'any', completionVerifier: 'v'.repeat(43) },
    putTenant: { workspace: 'acme', displayName: 'Globex', returnUrls: ['https://globex.example/'] },
    createTenant: { workspace: 'acme-2', displayName: 'Globex', returnUrls: ['https://globex.example/'] },
    updateTenant: { displayName: 'Globex' },
    putOAuthClient: { clientId: 'client-2' },
    putLogo: { image: 'iVBORw0KGgo=' },
    ...Object.fromEntries(
      [
        'createRelinkSession',
        'createHealthCheck',
        'verifyConnection',
        'rollBackConnection',
        'disconnectConnection',
        'cancelCampaign',
      ].map((name) => [name, { reason: 'any' }]),
    ),
    createWebhook: { url: 'https://globex.example/hook' },
    updateConnection: { alias: 'theirs' },
    putTenantToolPolicy: { policy: { readOnly: true } },
    putConnectionToolPolicy: { policy: { readOnly: true } },
    putIntegrationSettings: { settings: { profile: 'gmail', clientId: 'client-2' } },
    rollBackIntegrationSettings: { version: 1 },
    rollBackTenantToolPolicy: { version: 1 },
    rollBackConnectionToolPolicy: { version: 1 },
    putLoginToolPolicy: { policy: { readOnly: true } },
    rollBackLoginToolPolicy: { version: 1 },
  }

  test('with another tenant’s key, every route responds as if our resources did not exist', async () => {
    const ids = await acmesThings()
    const ourWords = [...Object.values(ids), 'user@acme.example'].map((word) => JSON.stringify(word))

    const asked = async ({ method, path, operationId: name }: Route) => {
      const answer = await asGlobex(method.toUpperCase(), pathOf(path, ids), bodies[name])
      for (const word of ourWords) expect(JSON.stringify(answer.body ?? ''), name).not.toContain(word)
      return answer
    }
    for (const route of routes().filter((each) => !namesATenant(each))) await asked(route)
    const before = await world.mark()
    const denied: Array<{ tenant: string }> = []

    for (const route of routes().filter(namesATenant)) {
      const { status } = await asked(route)
      expect([403, 404], `${route.operationId} answered ${status}`).toContain(status)
      // Which tenants there are is the deployment's business: who is forbidden to ask is not on record.
      if (status === 404) denied.push({ tenant: 'acme' })
    }

    expect(denied.length).toBeGreaterThan(30)
    await world.check(before, { audit: { action: 'authz.denied', facts: { keyTenantId: 'globex' }, of: denied } })
    expect((await world.api('GET', '/tenants/acme')).body).toMatchObject({ displayName: 'Acme' })
  })

  const namesATenant = ({ path, operationId: name }: Route) =>
    path.includes('{') ||
    ['createConnectSession', 'createManageSession', 'createImport', 'createErasure'].includes(name)

  test('every route responds to other tenants’ and missing resources alike, including headers', async () => {
    const ids = await acmesThings()
    const none = {
      tenantId: 'none',
      connectSessionId: 'ses_none',
      linkId: 'lnk_none',
      connectionId: 'con_none',
      campaignId: 'cmp_none',
      manageSessionId: 'mng_none',
      importId: 'imp_none',
      colorScheme: 'light',
      erasureId: 'ers_none',
    }
    const before = await world.mark()
    const differing: string[] = []
    const reachedFor: Array<{ tenant: string }> = []

    for (const { method, path, operationId: name } of routes().filter(({ path }) => path.includes('{'))) {
      const ask = async (of: Record<string, string>) =>
        comparable(await asGlobex(method.toUpperCase(), pathOf(path, of), bodies[name]))
      const [foreign, missing] = [await ask(ids), await ask(none)]
      if (![403, 404].includes(foreign.status) || !isDeepStrictEqual(foreign, missing)) {
        differing.push(`${name}: ${JSON.stringify([foreign, missing])}`)
      }
      // The tenant in the path is audited even if it does not exist.
      const named = path.startsWith('/tenants/') ? ['acme', 'none'] : ['acme']
      if (foreign.status === 404) reachedFor.push(...named.map((tenant) => ({ tenant })))
    }

    expect(differing).toEqual([])
    await world.check(before, { audit: { action: 'authz.denied', facts: { keyTenantId: 'globex' }, of: reachedFor } })
  })

  /** Without what is another one in every answer: the id of the request, and the time. */
  const comparable = ({ status, headers, body }: Awaited<ReturnType<typeof asGlobex>>) => ({
    status,
    headers: Object.fromEntries([...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))),
    body: { ...body, instance: '' },
  })

  test('lists filtered by another tenant are empty', async () => {
    await acmesThings()
    const before = await world.mark()

    for (const path of ['/links?tenantId=acme', '/connections?tenantId=acme', '/links', '/connections']) {
      expect((await asGlobex('GET', path)).body, path).toMatchObject({ data: [] })
    }
    await world.check(before, { audit: undefined })
  })

  test('the audit chain of another tenant is not found', async () => {
    const before = await world.mark()

    for (const path of ['/audit/records?tenantId=acme', '/audit/head?tenantId=acme']) {
      expect((await asGlobex('GET', path)).status, path).toBe(404)
    }
    await world.check(before, {
      audit: { action: 'authz.denied', facts: { keyTenantId: 'globex' }, of: [{ tenant: 'acme' }, { tenant: 'acme' }] },
    })
  })

  test('the completion code of another tenant’s session is rejected', async () => {
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    const before = await world.mark()

    const answer = await asGlobex('POST', `/connect-sessions/${minted.id}/complete`, {
      completionCode: query.completion_code,
      completionVerifier: minted.verifier,
    })

    expect(answer.status).toBe(404)
    await world.check(before, {
      audit: { action: 'authz.denied', facts: { keyTenantId: 'globex' }, of: { tenant: 'acme' } },
    })
    expect((await world.complete(minted, query)).body).toMatchObject({ status: 'linked' })
  })

  const missing = 'The request has no API key. Send it as "Authorization: Bearer cwk_…".'
  const scheme = 'Send the API key with the scheme Bearer: "Authorization: Bearer cwk_…".'
  const invalid = 'The API key is not valid. Check that it is complete, not revoked, and from this server.'

  test.each([
    ['', missing],
    [`Basic ${'A'.repeat(43)}`, scheme],
    [`cwk_${'A'.repeat(43)}`, scheme],
    ['Bearer', invalid],
    ['Bearer cwk_', invalid],
    [`bearer cwk_${'A'.repeat(43)}`, invalid],
  ])('a credential of %j authenticates nothing', async (Authorization, detail) => {
    const before = await world.mark()

    const answer = await world.api('GET', '/tenants', undefined, { Authorization })

    expect(answer).toMatchObject({ status: 401, body: { detail } })
    await world.check(before, { audit: undefined })
  })

  async function acmesThings(): Promise<Record<string, string>> {
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    const { body } = await world.complete(minted, query)
    const connection = body.connection.id
    await world.sql.query(`update connections set status = 'needs_relink', cause = 'grant_revoked' where id = $1`, [
      connection,
    ])
    const asked = { causeCode: 'grant_revoked', tenantId: 'acme', reason: 'any' }
    const { body: campaign } = await world.api('POST', '/campaigns', asked)
    const { body: managed } = await world.api('POST', '/manage-sessions', { tenantId: 'acme', endUser: { id: 'u' } })
    const { body: imported } = await world.api('POST', '/imports', { tenantId: 'acme' })
    const { body: erased } = await world.api('POST', '/erasures', { tenantId: 'acme', endUser: { id: 'gone' } })
    // Runs in the background and would add audit entries to later tests.
    await waitFor('the erasure is done', async () => {
      return (await world.api('GET', `/erasures/${erased.id}`)).body.status === 'done'
    })
    return {
      tenantId: 'acme',
      connectSessionId: minted.id,
      linkId: body.id,
      connectionId: connection,
      campaignId: campaign.id,
      manageSessionId: managed.id,
      importId: imported.id,
      colorScheme: 'light',
      erasureId: erased.id,
    }
  }

  const pathOf = (path: string, ids: Record<string, string>) =>
    path.replaceAll(/\{(\w+)\}/g, (_all, parameter) => ids[parameter] ?? 'any')
})

describe('case 27, workspace override', () => {
  const session = {
    tenantId: 'acme',
    integrationId: 'provider',
    endUser: { id: 'user-1' },
    returnUrl,
    completionChallenge: 'c'.repeat(43),
  }

  test.each(['workspace', 'tenant_id', 'tenant', 'context', 'status', 'created_by', 'linkId', 'id', 'metadata'])(
    'a member %s is rejected as unknown',
    async (member) => {
      const before = await world.mark()

      const answers = [
        await world.api('POST', '/connect-sessions', { ...session, [member]: 'globex' }),
        await world.api('POST', '/connect-sessions', { ...session, endUser: { ...session.endUser, [member]: 'x' } }),
        await world.api('POST', `/connect-sessions?${member}=globex`, session),
      ]

      // The field `id` is valid within `endUser`.
      const expected = member === 'id' ? [422, 201, 422] : [422, 422, 422]
      expect(answers.map(({ status }) => status)).toEqual(expected)
      await world.check(before, { audit: undefined })
    },
  )

  test('a header cannot set the workspace, and a body cannot pollute a prototype', async () => {
    const before = await world.mark()
    const headers = { 'X-Service-Workspace': 'globex', 'X-Tenant': 'globex' }

    const minted = await world.api('POST', '/connect-sessions', session, headers)
    const polluted = await fetch(`${world.url}/api/v1/connect-sessions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(session).replace('{', '{"__proto__":{"workspace":"globex"},'),
    })

    expect(minted.body).toMatchObject({ tenantId: 'acme' })
    expect(polluted.status).toBe(422)
    await world.check(before, { audit: undefined })
  })
})

describe('case 28, workspace header injection', () => {
  const workspaces = [
    'a\r\nX-Admin: 1',
    'acme ',
    ' acme',
    '\tacme',
    'acme\n',
    'acme, other',
    'acmé',
    'аcme', // the first letter is Cyrillic
    '',
    'a'.repeat(64),
    'a'.repeat(300),
    '../x',
    'a/b',
    'ACME',
    '-acme',
    'acme-',
    'acme\u0000',
  ]

  test.each(workspaces)('%j is rejected as a workspace name', async (workspace) => {
    const before = await world.mark()

    const answer = await world.api('PUT', '/tenants/evil', { workspace, displayName: 'Evil', returnUrls: [returnUrl] })

    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/workspace' }] } })
    await world.check(before, { audit: undefined })
  })

  test.each(workspaces.filter((name) => !name.includes('\u0000')))(
    '%j in the ledger is rejected before it is sent',
    async (workspace) => {
      const minted = await world.mint()
      const { query } = await world.consent(minted)
      await world.sql.query('update links set workspace = $2 where session_id = $1', [minted.id, workspace])
      const before = await world.mark()

      const { body } = await world.complete(minted, query)

      expect(body).toMatchObject({ status: 'needs_attention', cause: { code: 'platform_refused' } })
      await world.check(before, {
        tokenRequests: 1,
        audit: { action: 'link.needs_attention', facts: { cause: 'platform_refused' }, of: minted },
      })
    },
  )

  test('the platform receives the workspace header exactly as stored', async () => {
    const before = await world.mark()

    await world.linkHonestly()

    const sent = world.platform.seen.filter(({ path }) => path.startsWith('/v0/'))
    expect(sent.length).toBeGreaterThan(0)
    for (const { workspaceHeaders } of sent) expect(workspaceHeaders).toEqual(['acme'])
    await world.check(before, { tokenRequests: 1, posts: 2, audit: undefined })
  })
})

describe('case 32, name collision', () => {
  test.each([
    ['connection', '/v0/integrations/connections', 'connections'],
    ['function', '/v0/functions', 'functions'],
  ] as const)('a foreign %s with our name is not changed', async (_what, path, store) => {
    const theirs = { metadata: { name: 'theirs', labels: { owner: 'somebody' } }, spec: { theirs: true } }
    world.platform.fault = occupy(path, (name) => world.platform[store].set(`acme/${name}`, theirs))
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    const before = await world.mark()

    const { body } = await world.complete(minted, query)

    expect(body).toMatchObject({ status: 'needs_attention', cause: { code: 'name_taken' } })
    expect([...world.platform[store].values()].filter(({ spec }) => spec.theirs)).toContain(theirs)
    expect(new Set(world.platform.seen.map(({ method }) => method))).toEqual(new Set(['POST', 'GET']))
    await world.check(before, {
      tokenRequests: 1,
      posts: store === 'connections' ? 1 : 2,
      audit: { action: 'link.needs_attention', facts: { cause: 'name_taken' }, of: minted },
    })
  })

  test('names are generated, whatever the caller is called', async () => {
    const minted = await world.mint({ endUser: { id: '../../functions/x', displayName: '%2e%2e/a b' } })
    const { query } = await world.consent(minted)
    const before = await world.mark()

    const { body } = await world.complete(minted, query)

    expect(body.connection.name).toMatch(/^provider-[0-9a-z]{10}$/)
    await world.check(before, { tokenRequests: 1, posts: 2, audit: undefined })
  })

  /** Another owner takes the name just before the request. */
  const occupy = (path: string, take: (name: string) => void) => {
    return (request: SeenRequest): Failing | undefined => {
      if (request.method === 'POST' && request.path === path) take(request.body?.metadata.name ?? '')
      return undefined
    }
  }
})

describe('case 33, client secret across tenants', () => {
  const globexClient = { clientId: 'client-2', clientSecret: 'CANARY-CLIENT-SECRET-globex' }

  test('a tenant’s own client is only used for that tenant', async () => {
    world.provider.clients.set(globexClient.clientId, globexClient.clientSecret)
    await world.api('PUT', '/tenants/globex/oauth-clients/provider', globexClient)
    const [waiting, spent] = [await world.mint({ tenantId: 'globex' }), await world.mint({ tenantId: 'globex' })]
    const { query: stolen } = await world.untilCallback(waiting)
    const { query } = await world.consent(spent)
    const before = await world.mark()
    await world.complete(spent, query)
    const acmesClient = await acmesProvisionedClient()

    const code = { grant_type: 'authorization_code', code: stolen.code ?? '', redirect_uri: redirectUri() }
    const refresh = { grant_type: 'refresh_token', refresh_token: world.provider.issued.at(-2)?.token ?? '' }
    const asked = [await askForToken({ ...code, ...acmesClient }), await askForToken({ ...refresh, ...acmesClient })]

    expect(world.provider.issued.at(-2)?.client).toBe('client-2')
    expect(asked).toEqual([
      { status: 400, body: { error: 'invalid_grant' } },
      { status: 400, body: { error: 'invalid_grant' } },
    ])
    expect(await clientsOf('globex')).toEqual(['own', 'own'])
    await world.api('DELETE', '/tenants/globex/oauth-clients/provider')
    // Two links (one of them acme's, to read its client) and two requests of the attacker.
    await world.check(before, {
      tokenRequests: 4,
      posts: 4,
      audit: { action: 'tenant.oauth_client_deleted', of: { tenant: 'globex' } },
    })
  })

  test('use of a shared client is audited, and PKCE separates the tenants', async () => {
    const { query: theirs } = await world.untilCallback(await world.mint({ tenantId: 'globex' }))
    const ours = await world.mint()
    const { url, browser } = await world.untilCallback(ours)
    const before = await world.mark()

    const back = await browser.get(withQuery(url, { code: theirs.code }))
    await world.complete(ours, queryOf(back.headers.get('location')))

    expect(await linkOf(world, ours)).toMatchObject({ status: 'failed', cause: { code: 'code_refused' } })
    expect((await clientsOf('globex')).at(-1)).toBe('shared')
    await world.check(before, {
      tokenRequests: 1,
      audit: { action: 'link.failed', facts: { cause: 'code_refused' }, of: ours },
    })
  })

  const redirectUri = () => `${world.url}/oauth/callback/provider`

  /** What acme could read in its own workspace. */
  async function acmesProvisionedClient() {
    await world.linkHonestly()
    const document = [...world.platform.connections].filter(([key]) => key.startsWith('acme/')).at(-1)?.[1]
    const secret = document?.spec.secret as Record<string, string>
    return { client_id: secret.CLIENT_ID ?? '', client_secret: secret.CLIENT_SECRET ?? '' }
  }

  async function askForToken(fields: Record<string, string>) {
    const answer = await fetch(`${world.provider.url}/token`, { method: 'POST', body: new URLSearchParams(fields) })
    return { status: answer.status, body: await answer.json() }
  }

  async function clientsOf(tenant: string): Promise<string[]> {
    const query = "select facts from audit where action = 'link.started' and tenant = $1 order by id"
    return (await world.sql.query(query, [tenant])).rows.map(({ facts }) => facts.client)
  }
})
