// A world under attack, and the questions asked after every case: was a token requested, was anything made on the
// platform, did a secret get out, is there one line on record, are the headers right, does honest work still pass.
import { expect } from 'vitest'
import { backgroundWork } from '../../src/kit/background-work.ts'
import { answerTexts, type KnownSecret, leaks, platformTexts, postgresTexts, redisTexts } from './canaries.ts'
import { HttpBrowser } from './http-browser.ts'
import { type Minted, type OnboardingWorld, startOnboarding, type WorldOptions } from './onboarding-world.ts'
import { type Answered, answerRecorder, logRecorder } from './recorders.ts'

export type AttackWorld = OnboardingWorld & {
  /** Where everything stands before an attack. */
  mark(): Promise<Mark>
  /** Asks every question about what happened since. Provider and platform are honest again afterwards. */
  check(since: Mark, expected: Expected): Promise<void>
  answersSince(since: Mark): Answered[]
  /** Everything the program logged so far. */
  logLines: readonly string[]
  /** A secret of this case that only the test knows of. */
  watch(secret: KnownSecret): void
  /** An honest user links an account, start to end. */
  linkHonestly(): Promise<void>
}

export type Mark = { tokenRequests: number; posts: number; audit: number; answers: number }

export type Expected = {
  tokenRequests?: number
  /** Requests that create something on the platform. */
  posts?: number
  /** The one line on record that tells of it, beside those that tell of progress; or the few, in their order. */
  audit: Line | Line[] | undefined
}

export type Line = { action: string; reason?: string; times?: number }

export async function startAttackWorld(options: WorldOptions = {}): Promise<AttackWorld> {
  const { answers, observe } = answerRecorder()
  const { log, lines } = logRecorder()
  const secrets: KnownSecret[] = []
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
  const providers = [world.provider, ...Object.values(options.others ?? {})]
  const tokenRequests = () => providers.reduce((sum, { seen }) => sum + seen.tokenRequests.length, 0)

  const mint: OnboardingWorld['mint'] = async (more) => {
    const minted = await world.mint(more)
    secrets.push({ name: 'connect token', value: minted.url.split('/').at(-1) as string })
    secrets.push({ name: 'completion verifier', value: minted.verifier })
    return minted
  }

  async function expectNoLeaks(recent: Answered[]) {
    const known = [...secrets, { name: 'api key', value: world.key } as const, ...seenSecrets(providers, recent)]
    const texts = [
      ...answerTexts(recent),
      ...platformTexts(world.platform.seen),
      ...(await redisTexts(world.redis.url)),
      ...(await postgresTexts(world.sql)),
      { place: 'log', text: lines.join('\n') },
    ]
    expect(leaks(known, texts)).toEqual([])
  }

  const linkHonestly = async () => {
    const minted = await mint()
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
      const { rows } = await world.sql.query('select coalesce(max(id), 0)::int as last from audit')
      const posts = world.platform.posts().length
      return { tokenRequests: tokenRequests(), posts, audit: rows[0].last, answers: answers.length }
    },
    async check(since, { tokenRequests: tokens = 0, posts = 0, audit }) {
      expect(tokenRequests() - since.tokenRequests, 'token requests').toBe(tokens)
      expect(world.platform.posts().length - since.posts, 'posts to the platform').toBe(posts)
      await expectOneLine(world, since, audit)
      const recent = answers.slice(since.answers)
      // Style sheets and scripts are the same for everybody, and may be kept.
      for (const answer of recent.filter(({ path }) => !path.startsWith('/assets/'))) expectHeaders(answer)
      await expectNoLeaks(recent)
      for (const provider of providers) provider.calm()
      world.platform.fault = undefined
      await linkHonestly()
      secrets.length = 0
    },
  }
}

/** States, verifiers and browser secrets are made by the program; what it sent tells which they were. */
function seenSecrets(providers: OnboardingWorld['provider'][], recent: readonly Answered[]): KnownSecret[] {
  const states = providers.flatMap(({ seen }) => seen.authorizations.map(({ state = '' }) => state))
  const verifiers = providers.flatMap(({ seen }) => seen.tokenRequests.map(({ code_verifier = '' }) => code_verifier))
  const cookies = recent.flatMap(({ headers }) => [headers['set-cookie'] ?? []].flat().map(String))
  const browsers = cookies.map((line) => /=[^.;]*\.([^;]+)/.exec(line)?.[1] ?? '')
  return [
    ...states.map((value) => ({ name: 'state', value }) as const),
    ...verifiers.map((value) => ({ name: 'PKCE verifier', value }) as const),
    ...browsers.map((value) => ({ name: 'browser secret', value }) as const),
  ].filter(({ value }) => value.length >= 43)
}

/** What an honest link leaves on record; anything else tells of trouble. */
const progress = [
  'session.minted',
  'link.started',
  'link.code_held',
  'link.exchanging',
  'link.escrowed',
  'link.connection_ready',
  'link.function_ready',
  'link.linked',
  'relink.minted',
  'link.proving',
  'link.proven',
  'link.verified',
  'campaign.started',
  'tenant.put',
  'tenant.oauth_client_put',
  'key.created',
]

async function expectOneLine(world: OnboardingWorld, since: Mark, expected: Expected['audit']) {
  const { rows } = await world.sql.query(
    'select action, reason, actor_kind, request_id, address from audit where id > $1 and not action = any($2) order by id',
    [since.audit, progress],
  )
  expect(rows.map((row) => ({ action: row.action, reason: row.reason }))).toEqual(
    [expected ?? []].flat().flatMap(lines),
  )
  for (const row of rows.filter(({ actor_kind }) => actor_kind !== 'worker')) {
    expect(row).toMatchObject({ request_id: expect.stringMatching(/^req_/), address: '127.0.0.1' })
  }
}

/** A word on the circumstances may follow the reason. */
const lines = ({ action, reason = '.+', times = 1 }: Line) =>
  Array.from({ length: times }, () => ({ action, reason: expect.stringMatching(new RegExp(`^${reason}(: |$)`)) }))

export function expectHeaders({ method, path, headers, body }: Answered) {
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

/** Ends the wait of whatever is due at this moment, without waiting for it. */
export async function passTime(world: Pick<OnboardingWorld, 'sql' | 'flows'>, minted: Minted): Promise<void> {
  await world.sql.query('update links set due_at = now() where session_id = $1', [minted.id])
  await world.flows.resumeLinks()
}

export const linkOf = async (world: Pick<OnboardingWorld, 'api'>, minted: Minted) => {
  const { body } = await world.api('GET', `/connect-sessions/${minted.id}`)
  return body.link ? (await world.api('GET', `/links/${body.link}`)).body : undefined
}

export const twoBrowsers = () => [new HttpBrowser(), new HttpBrowser()] as const

/** What an address carries back to the tenant. */
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

/** Pages differ in their request id only. */
export const withoutRequestId = (text: string) => text.replaceAll(/req_[\w-]+/g, 'req')
