// Compares the four requests to each provider with wire-forms.json. The test fails if a change of a file or of the code
// changes a request. A form with a `source` is compared with the requests that the vendor's page shows.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { CatalogueEntry } from '../../../src/contract/integrations/catalogue.ts'
import { filledProfile } from '../../../src/contract/integrations/filled-profile.ts'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { GuardedFetch, GuardedRequest } from '../../../src/kit/fetch/guarded-fetch.ts'
import { shippedCatalogue } from '../../../src/onboarding/integrations/catalogue.ts'
import { compileProfile } from '../../../src/onboarding/integrations/profile.ts'
import { openidProvider } from '../../../src/onboarding/provisioning/adapters/openid/provider.ts'
import { packAnswer } from '../../../src/onboarding/provisioning/adapters/openid/stored-answer.ts'

type RequestName = 'authorization' | 'token' | 'refresh' | 'revocation'
type WireForm = Partial<Record<RequestName, string[] | undefined>>
/** `shows`: the address and the names of the parameters in the examples of the page. */
type Source = { name: string; url: string; date: string; shows: WireForm }
const written: Record<string, WireForm & { source?: Source }> = JSON.parse(
  readFileSync(new URL('./wire-forms.json', import.meta.url), 'utf8'),
)
const expected = Object.fromEntries(Object.entries(written).map(([id, { source, ...form }]) => [id, form]))

/** Values that users type or providers return. */
const values = {
  subdomain: 'acme',
  shop: 'acme',
  dc: 'us21',
  'accounts-server': 'accounts.zoho.eu',
  api_domain: 'acme.pipedrive.com',
  instance_url: 'acme.my.salesforce.com',
  api_base_url_for_customer: 'us-1.api.gong.io',
  realmId: '1234',
  workspace: 'acme.cloud.databricks.com',
  environment: 'acme.crm4.dynamics.com',
  api_access_point: 'api.na1.adobesign.com',
  domain: 'acme.eu.auth0.com',
}

const client = { id: 'client-1', secret: new Secret('secret-1') }
const verifier = new Secret('v'.repeat(43))
const nonce = 'n'.repeat(43)

/** The first product of each provider that operators need not accept. */
const entries = [...shippedCatalogue().values()]
  .filter(({ tier }) => tier === 'verified' || tier === 'corroborated')
  .filter((entry, at, all) => all.findIndex((other) => other.about().id === entry.about().id) === at)

test('wire-forms.json has all verified and corroborated providers', () => {
  expect(entries.map((entry) => entry.about().id).sort()).toEqual(Object.keys(expected).sort())
})

test('requests to providers are as in wire-forms.json', async () => {
  const forms = await Promise.all(entries.map(async (entry) => [entry.about().id, await wireForm(entry)]))

  expect(Object.fromEntries(forms)).toEqual(expected)
})

const shown = Object.entries(written).flatMap(([id, { source, ...form }]) =>
  Object.entries(source?.shows ?? {}).map(([request, example]) => {
    const [address = '', ...names] = example ?? []
    const [ours, ...lines] = form[request as RequestName] ?? []
    return { id, request: request as RequestName, address, names, ours, sent: lines.map(nameOf) }
  }),
)

test('requests go where the page of the vendor shows', () => {
  const elsewhere = shown.filter(({ address, ours }) => ours !== address)

  expect(elsewhere.map(({ id, request, address, ours }) => `${id}: ${request} to ${ours}, shown: ${address}`)).toEqual(
    [],
  )
})

/**
 * Shown, and optional by the same page: which accounts the user chose from, the group for single sign-on, the default
 * response mode, scopes that were granted before, the prompt, the type of a token, and where commands are installed,
 * which other scopes do not need, and the account of a Link Preview at Notion. The redirect URI of a refresh is not read by GitLab's server
 * (lib/doorkeeper/oauth/refresh_token_request.rb of doorkeeper-gem/doorkeeper, 015a062).
 */
const optional = [
  'discord: authorization integration_type',
  'discord: authorization prompt',
  'discord: revocation token_type_hint',
  'dynamics-365: authorization response_mode',
  'dynamics-365: token scope',
  'gitlab: authorization root_namespace_id',
  'gitlab: refresh redirect_uri',
  'microsoft: authorization response_mode',
  'microsoft: token scope',
  'notion: token external_account',
  'zendesk: token scope',
]

test('requests have all parameters that the page of the vendor shows', () => {
  const missing = shown.flatMap(({ id, request, names, sent }) =>
    names.filter((name) => !sent.includes(name)).map((name) => `${id}: ${request} ${name}`),
  )

  expect(missing.sort()).toEqual(optional)
})

/** RFC 6749, RFC 7636, OpenID Connect Core, and `access_type`, which goes to every provider. */
const standard: Record<RequestName, string[]> = {
  authorization: [
    ...['access_type', 'code_challenge', 'code_challenge_method', 'nonce', 'redirect_uri', 'response_type', 'state'],
  ],
  token: ['code_verifier', 'grant_type', 'redirect_uri'],
  refresh: ['client_id', 'client_secret', 'grant_type'],
  revocation: [],
}

test('requests have only standard parameters besides those that the page of the vendor shows', () => {
  const added = shown.flatMap(({ id, request, names, sent }) =>
    sent
      .filter((name) => !names.includes(name) && !standard[request].includes(name))
      .map((name) => `${id}: ${request} ${name}`),
  )

  expect(added).toEqual([])
})

test('at most 18 wire forms have no request that a vendor shows', () => {
  const without = Object.keys(written).filter((id) => written[id]?.source === undefined)

  expect(without.length, without.join(', ')).toBeLessThanOrEqual(18)
})

function nameOf(line: string): string {
  return line.startsWith('authorization: ') ? 'authorization' : (line.split('=')[0] ?? '')
}

async function wireForm(entry: CatalogueEntry): Promise<WireForm> {
  const integration = { ...filledProfile(compileProfile(entry.profile()), values), client, about: entry.about() }
  const requests: string[][] = []
  const provider = openidProvider({
    fetch: recording(requests),
    redirectUri: (id) => `https://connect.example.com/oauth/callback/${id}`,
    now: () => new Date('2026-11-16T00:00:00Z'),
  })
  const taken = async (ask: () => Promise<unknown>) => {
    requests.length = 0
    // The recorder rejects every request: only the request counts.
    await ask().catch(() => undefined)
    return requests[0]
  }
  const members = {
    access_token: 'access-1',
    refresh_token: 'refresh-1',
    token_type: 'bearer',
    ...accountMembers(entry),
  }
  const raw = answerOf(members)
  const keep = async () => undefined
  const url = await provider.authorizationUrl({
    integration,
    client,
    state: 'state-1',
    nonce,
    verifier,
    forceConsent: false,
  })
  const exchange = {
    integration,
    client,
    code: new Secret('code-1'),
    issuer: undefined,
    nonce,
    verifier,
    config: {},
    keep,
  }
  return compact({
    authorization: addressLines(url),
    token: await taken(() => provider.exchange(exchange)),
    refresh:
      integration.grant === 'refresh'
        ? await taken(() => provider.refresh({ integration, client, raw, keep }))
        : undefined,
    revocation: await taken(() => provider.revoke({ integration, client }, raw, undefined)),
  })
}

const compact = (form: WireForm) =>
  Object.fromEntries(Object.entries(form).filter(([, lines]) => lines !== undefined)) as WireForm

function recording(requests: string[][]): GuardedFetch {
  const fetch = async (url: string, request: GuardedRequest = {}) => {
    requests.push(requestLines(url, request))
    return { status: 400, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"error":"recorded"}') }
  }
  return Object.assign(fetch, { mayCall: () => true, close: async () => undefined })
}

function requestLines(url: string, { method = 'GET', headers = {}, body = '' }: GuardedRequest): string[] {
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const isJson = named.get('content-type')?.startsWith('application/json')
  const pairs: Array<[string, string]> = isJson ? Object.entries(JSON.parse(body)) : [...new URLSearchParams(body)]
  const authorization = named.get('authorization')
  return [
    `${method} ${url} ${isJson ? 'json' : 'form'}`,
    ...(authorization ? [`authorization: ${authorization}`] : []),
    ...sorted(pairs),
  ]
}

function addressLines(address: string): string[] {
  const url = new URL(address)
  const pairs = [...url.searchParams]
  url.search = ''
  return [url.href, ...sorted(pairs)]
}

const sorted = (pairs: Array<[string, string]>) => pairs.map(([name, value]) => `${name}=${value}`).sort()

const answerOf = (members: object) =>
  packAnswer({
    bytes: Buffer.from(JSON.stringify(members)).toString('base64'),
    contentType: 'application/json',
    contentEncoding: '',
    isPartial: false,
    nonce,
    receivedAt: 0,
  })

/** Some providers need the account in the revocation request. */
const accountMembers = (entry: CatalogueEntry) => {
  const { account } = entry.profile()
  return account.from === 'token_response' && !account.id.includes('.') ? { [account.id]: 'account-1' } : {}
}
