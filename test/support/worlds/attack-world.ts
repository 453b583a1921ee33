// A world under attack. Each case checks token requests, platform writes, leaked secrets, audit entries, headers, and
// that honest use still works.

import { expect } from 'vitest'
import { backgroundWork } from '../../../src/kit/process/background-work.ts'
import { sweepLinks } from '../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { HttpBrowser } from '../http/http-browser.ts'
import { answerTexts, type KnownSecret, leaks, platformTexts, postgresReader, redisTexts } from '../oracles/canaries.ts'
import { answerRecorder, logRecorder, type RecordedAnswer } from '../oracles/recorders.ts'
import { type MintedSession, type OnboardingWorld, startOnboarding, type WorldOptions } from './onboarding-world.ts'

export type AttackWorld = OnboardingWorld & {
  /** The state before an attack. */
  mark(): Promise<Mark>
  /** Checks everything since the snapshot and resets provider and platform. */
  check(since: Mark, expected: Expectation): Promise<void>
  answersSince(since: Mark): RecordedAnswer[]
  logLines: readonly string[]
  watch(secret: KnownSecret): void
  linkHonestly(): Promise<void>
}

type Mark = { tokenRequests: number; posts: number; audit: number; answers: number }

export type Expectation = {
  tokenRequests?: number
  posts?: number
  /** The expected audit entries, in order, besides progress entries. */
  audit: Line | Line[] | undefined
}

/** `of`: the subject of the entries, in any order. None if absent. */
/** `facts`: those that it has to state, among others. */
type Line = { action: string; facts?: Record<string, unknown>; times?: number; of?: Whose | Whose[] }

/** A session implies its tenant and link. */
type Whose = { id: string } | { tenant: string }

type AttackOptions = WorldOptions & { honest?: string }

export async function startAttackWorld(options: AttackOptions = {}): Promise<AttackWorld> {
  const { answers, observe } = answerRecorder()
  const { log, lines } = logRecorder()
  const secrets: KnownSecret[] = []
  const checked = { answers: 0, requests: 0, lines: 0 } // up to here they were searched
  const world = await startOnboarding({
    ...options,
    observe,
    env: { VERIFY_FUNCTIONS: 'false', LOG_LEVEL: 'silent', ...options.env },
    replace(opened, config) {
      const recorded = backgroundWork(log)
      const keep = <T>(work: Promise<T>) => recorded.keep(opened.background.keep(work))
      return { log, background: { ...opened.background, keep }, ...options.replace?.(opened, config) }
    },
  })
  const readDatabase = postgresReader(world.sql)
  const providers = [world.provider, ...Object.values(options.others ?? {})]
  const tokenRequests = () => providers.reduce((sum, { seen }) => sum + seen.tokenRequests.length, 0)

  const mint: OnboardingWorld['mint'] = async (more) => {
    const minted = await world.mint(more)
    secrets.push({ name: 'connect token', value: minted.url.split('/').at(-1) as string })
    secrets.push({ name: 'completion verifier', value: minted.verifier })
    return minted
  }

  async function expectNoLeaks(seen: KnownSecret[]) {
    const recent = answers.slice(checked.answers)
    const handedOut = secretsIn(recent)
    expect(handedOut.map(({ name }) => name)).toContain('completion code')
    const known = [...secrets, { name: 'api key', value: world.key } as const, ...seen, ...handedOut]
    const texts = [
      ...answerTexts(recent),
      ...platformTexts(world.platform.seen.slice(checked.requests)),
      ...(await redisTexts(world.redis.url)),
      ...(await readDatabase()),
      { place: 'log', text: lines.slice(checked.lines).join('\n') },
    ]
    expect(leaks(known, texts)).toEqual([])
  }

  const linkHonestly = async () => {
    const minted = await mint(options.honest ? { integrationId: options.honest } : {})
    const { query } = await world.consent(minted)
    expect((await world.complete(minted, query)).body).toMatchObject({ status: 'linked' })
  }

  return {
    ...world,
    mint,
    linkHonestly,
    logLines: lines,
    watch: (secret) => void secrets.push(secret),
    answersSince: (since) => answers.slice(since.answers),
    async mark() {
      const { rows } = await world.sql.query('select coalesce(max(id), 0)::float8 as last from audit')
      const posts = world.platform.posts().length
      return { tokenRequests: tokenRequests(), posts, audit: rows[0].last, answers: answers.length }
    },
    async check(since, { tokenRequests: tokens = 0, posts = 0, audit }) {
      expect(tokenRequests() - since.tokenRequests, 'token requests').toBe(tokens)
      expect(world.platform.posts().length - since.posts, 'posts to the platform').toBe(posts)
      await expectOneLine(world, since, audit)
      const seen = seenSecrets(providers)
      for (const provider of providers) provider.calm()
      world.platform.fault = undefined
      await linkHonestly()
      // Style sheets and scripts are public and cacheable.
      const recent = answers.slice(since.answers).filter(({ path }) => !path.startsWith('/assets/'))
      for (const answer of recent) expectHeaders(answer)
      await expectNoLeaks([...seen, ...seenSecrets(providers)])
      secrets.length = 0
      Object.assign(checked, { answers: answers.length, requests: world.platform.seen.length, lines: lines.length })
    },
  }
}

/** States and verifiers, read from the requests to providers. */
function seenSecrets(providers: OnboardingWorld['provider'][]): KnownSecret[] {
  const states = providers.flatMap(({ seen }) => seen.authorizations.map(({ state = '' }) => state))
  const verifiers = providers.flatMap(({ seen }) => seen.tokenRequests.map(({ code_verifier = '' }) => code_verifier))
  return [
    ...states.map((value) => ({ name: 'state', value }) as const),
    ...verifiers.map((value) => ({ name: 'PKCE verifier', value }) as const),
  ].filter(isLong)
}

/** Cookie secrets and completion codes that browsers received. */
function secretsIn(recent: readonly RecordedAnswer[]): KnownSecret[] {
  const cookies = recent.flatMap(({ headers }) => [headers['set-cookie'] ?? []].flat().map(String))
  const browsers = cookies.map((line) => /=[^.;]*\.([^;]+)/.exec(line)?.[1] ?? '')
  const codes = recent.map(({ headers }) => /[?&]completion_code=([^&]+)/.exec(String(headers.location))?.[1] ?? '')
  return [
    ...browsers.map((value) => ({ name: 'browser secret', value }) as const),
    ...codes.map((value) => ({ name: 'completion code', value }) as const),
  ].filter(isLong)
}

const isLong = ({ value }: KnownSecret) => value.length >= 43

/** Audit entries of an honest link. Any other entry indicates a problem. */
const progress = [
  'session.minted',
  'link.started',
  'link.code_waiting',
  'link.exchanging',
  'link.escrowed',
  'link.connection_ready',
  'link.function_ready',
  'link.linked',
  'relink.minted',
  'link.testing',
  'link.tested',
  'link.verified',
  'campaign.started',
  'tenant.put',
  'tenant.oauth_client_put',
  'key.created',
]

async function expectOneLine(world: OnboardingWorld, since: Mark, expected: Expectation['audit']) {
  const { rows } = await world.sql.query(
    'select action, facts, reason, tenant, link, actor_kind, actor_id, request_id, address from audit where id > $1 and not action = any($2) order by id',
    [since.audit, progress],
  )
  const lines = [expected ?? []].flat().flatMap(linesOf)
  expect(rows.map(({ action, facts }) => ({ action, facts }))).toEqual(
    lines.map(({ action, facts = {} }) => ({ action, facts: expect.objectContaining(facts) })),
  )
  const whose = await Promise.all(lines.map(async ({ action, of }) => [action, ...(await owner(world, of))]))
  expect(rows.map(({ action, tenant, link }) => [action, tenant, link]).sort()).toEqual(whose.sort())
  for (const row of rows.filter(({ actor_kind }) => actor_kind !== 'worker')) {
    const actor_id = row.actor_kind === 'api_key' ? expect.stringMatching(/^key_/) : row.actor_id
    expect(row).toMatchObject({ actor_id, request_id: expect.stringMatching(/^req_/), address: '127.0.0.1' })
  }
}

type OneLine = { action: string; facts: Line['facts'] | undefined; of: Whose | undefined }

const linesOf = ({ action, facts, times = 1, of }: Line): OneLine[] =>
  (Array.isArray(of) ? of : Array.from({ length: times }, () => of)).map((one) => ({ action, facts, of: one }))

async function owner({ sql }: OnboardingWorld, of: Whose | undefined): Promise<[tenant: unknown, link: unknown]> {
  if (!of || !('id' in of)) return [of?.tenant ?? null, null]
  const { rows } = await sql.query(
    'select s.tenant, l.id as link from connect_sessions s left join links l on l.session_id = s.id where s.id = $1',
    [of.id],
  )
  return [rows[0]?.tenant, rows[0]?.link]
}

function expectHeaders({ method, path, headers, body }: RecordedAnswer) {
  expect(headers, `${method} ${path.slice(0, 60)}`).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'x-request-id': expect.stringMatching(/^req_/),
  })
  expect(headers).not.toHaveProperty('x-powered-by')
  if (body)
    expect(String(headers['content-type'])).toMatch(/^(text\/(html|csv)|application\/(problem\+)?json); charset=utf-8$/)
}

/** Makes all waiting work due. */
export async function passTime(
  world: Pick<OnboardingWorld, 'sql' | 'ports' | 'settings'>,
  minted: MintedSession,
): Promise<void> {
  await world.sql.query('update links set due_at = now() where session_id = $1', [minted.id])
  await sweepLinks(world.ports, world.settings)
}

export const linkOf = async (world: Pick<OnboardingWorld, 'api'>, minted: MintedSession) => {
  const { body } = await world.api('GET', `/connect-sessions/${minted.id}`)
  return body.linkId ? (await world.api('GET', `/links/${body.linkId}`)).body : undefined
}

export const twoBrowsers = () => [new HttpBrowser(), new HttpBrowser()] as const

export const queryOf = (address: string | null): Record<string, string> =>
  Object.fromEntries(new URL(address ?? '').searchParams)

export function withQuery(url: string, changes: Record<string, string | undefined>): string {
  const changed = new URL(url)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) changed.searchParams.delete(name)
    else changed.searchParams.set(name, value)
  }
  return changed.href
}

export const withoutRequestId = (text: string) => text.replaceAll(/req_[\w-]+/g, 'req')
