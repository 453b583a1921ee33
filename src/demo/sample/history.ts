import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { JsonApi } from '../json-api.ts'
import type { Instance } from '../misbehave/domain/instance.ts'
import type { Switches } from '../misbehave/domain/switch-table.ts'

type History = {
  causeway: JsonApi
  platform: JsonApi
  /** The segment of each is the ID of its integration. */
  apps: Instance[]
  receiver: string
}

/** `receives`: the status that the tenant's webhook endpoint answers with. 410 disables the endpoint. */
const tenants: SampleTenant[] = [
  {
    id: 'sample-books',
    displayName: 'Sample Books',
    receives: 204,
    people: ['Shop manager', 'Events planner', 'Accounts clerk', 'Web editor', 'Order desk'],
  },
  {
    id: 'sample-clinic',
    displayName: 'Sample Clinic',
    receives: 204,
    people: ['Front desk', 'Practice manager', 'Billing clerk', 'Lab lead', 'Records clerk'],
  },
  {
    id: 'sample-freight',
    displayName: 'Sample Freight',
    receives: 503,
    people: ['Dispatch lead', 'Fleet manager', 'Customs clerk', 'Route planner', 'Claims desk'],
  },
  {
    id: 'sample-school',
    displayName: 'Sample School',
    receives: 204,
    people: ['Head of office', 'Librarian', 'Exams officer', 'Sports lead', 'Bursar'],
  },
  {
    id: 'sample-studio',
    displayName: 'Sample Studio',
    receives: 410,
    people: ['Art director', 'Producer', 'Sound lead', 'Studio manager', 'Archive desk'],
  },
]
/** Loses its workspace on the platform, so its links need attention. */
const misconfigured: SampleTenant = {
  id: 'sample-travel',
  displayName: 'Sample Travel',
  receives: 204,
  people: ['Group desk', 'Visa desk', 'Night desk'],
}
const suspended = 'sample-school'

type SampleTenant = { id: string; displayName: string; receives: number; people: string[] }

const linkCount = 48

/** Every fourth link fails. The reasons are used in turn. */
const failures: Array<Partial<Switches>> = [
  { consent: 'denied' },
  { consent: 'partial' },
  { token_manner: 'out_of_service' },
  { consent: 'denied' },
  { admin_approval: 'needed' },
  { client_secret: 'expired' },
  { consent: 'failed' },
  { consent: 'never_returns' },
  { id_token: 'other_audience' },
  { token_manner: 'cut' },
  { token_manner: 'not_json' },
]

const Session = z.object({ id: z.string(), url: z.string() })
const Link = z.object({ id: z.string(), status: z.string(), connection: z.object({ id: z.string() }).nullish() })
const Campaign = z.object({ members: z.array(z.object({ url: z.string(), connectionId: z.string() })) })

export async function makeHistory(history: History): Promise<void> {
  const { causeway, platform } = history
  for (const tenant of [...tenants, misconfigured]) await addTenant(history, tenant)
  await platform('DELETE', `/workspaces/${misconfigured.id}`)
  const connections = await linkAccounts(history)
  await breakSome(history, connections)
  await causeway('POST', `/tenants/${suspended}/suspend`)
}

async function addTenant(history: History, { id, displayName, receives }: SampleTenant): Promise<void> {
  const { causeway, platform, receiver } = history
  await platform('POST', '/workspaces', { name: id, displayName })
  await causeway('PUT', `/tenants/${id}`, { workspace: id, displayName, returnUrls: [returnUrlOf(id)] })
  await causeway('POST', `/tenants/${id}/webhooks`, { url: `${receiver}/${receives}` })
}

const returnUrlOf = (tenant: string) => `https://${tenant}.example/connected`

type SampleConnection = { id: string; tenant: string; app: Instance; account: string }

async function linkAccounts(history: History): Promise<SampleConnection[]> {
  const connections: SampleConnection[] = []
  const linksOf = new Map<string, number>()
  for (let count = 0; count < linkCount; count++) {
    const app = itemAt(history.apps, count)
    const tenant = count % 16 === 15 ? misconfigured : itemAt(tenants, count * 2 + Math.floor(count / 5))
    const before = linksOf.get(tenant.id) ?? 0
    linksOf.set(tenant.id, before + 1)
    const failure = count % 4 === 3 && tenant !== misconfigured ? itemAt(failures, Math.floor(count / 4)) : {}
    const attempt = { tenant: tenant.id, app, person: itemAt(tenant.people, before), behaviour: failure }
    const id = await linkAccount(history, attempt)
    if (id) connections.push({ id, tenant: tenant.id, app, account: emailOf(attempt) })
  }
  return connections
}

const itemAt = <T>(list: readonly T[], position: number): T => list[position % list.length] as T

const userIdOf = (person: string) => person.toLowerCase().replaceAll(' ', '-')

const emailOf = ({ tenant, person }: Pick<Attempt, 'tenant' | 'person'>) => `${userIdOf(person)}@${tenant}.example`

type Attempt = { tenant: string; app: Instance; person: string; behaviour: Partial<Switches> }

/** Returns the ID of the connection if the link succeeded. */
async function linkAccount({ causeway }: History, attempt: Attempt): Promise<string | undefined> {
  const { tenant, app, person, behaviour } = attempt
  const account = emailOf(attempt)
  const verifier = randomBytes(32).toString('base64url')
  const session = Session.parse(
    await causeway('POST', '/connect-sessions', {
      tenantId: tenant,
      integrationId: app.segment,
      endUser: { id: userIdOf(person), email: account, displayName: person },
      returnUrl: returnUrlOf(tenant),
      completionChallenge: createHash('sha256').update(verifier).digest('base64url'),
    }),
  )
  return whileApp(app, { account, ...behaviour }, async () => {
    const completionCode = await visit(session.url)
    if (!completionCode) return undefined
    const completion = { completionCode, completionVerifier: verifier }
    let link = Link.parse(await causeway('POST', `/connect-sessions/${session.id}/complete`, completion))
    // A busy machine may answer before the link has ended. A link that cannot succeed may stay pending.
    const succeeds = Object.keys(behaviour).length === 0 && tenant !== misconfigured.id
    while (succeeds && link.status === 'pending') {
      await pause(500)
      link = Link.parse(await causeway('GET', `/links/${link.id}`))
    }
    return link.connection?.id
  })
}

async function whileApp<T>({ switches }: Instance, changes: Partial<Switches>, act: () => Promise<T>): Promise<T> {
  const usual = { ...switches }
  Object.assign(switches, { consent: 'granted', ...changes })
  const result = await act()
  Object.assign(switches, usual)
  return result
}

/** Follows a connect session as a browser does. Returns the completion code if the tenant's return URL has one. */
async function visit(url: string): Promise<string | undefined> {
  const origin = new URL(url).origin
  const started = await fetch(url, { method: 'POST', headers: { Origin: origin }, redirect: 'manual' })
  const cookies = started.headers.getSetCookie().map((line) => line.split(';')[0])
  let next = nextOf(started, url)
  while (next && !next.hostname.endsWith('.example')) {
    const answer = await fetch(next, { headers: { Cookie: cookies.join('; ') }, redirect: 'manual' })
    next = nextOf(answer, next.href)
  }
  return next?.searchParams.get('completion_code') ?? undefined
}

function nextOf({ headers }: Response, base: string): URL | undefined {
  const location = headers.get('location') ?? /url=(.+)$/.exec(headers.get('refresh') ?? '')?.[1]
  return location ? new URL(location, base) : undefined
}

/**
 * Disconnects some connections and breaks others, but none of the suspended tenant, whose users could not reconnect. A
 * campaign asks the users of one app to reconnect; half of them do.
 */
async function breakSome({ causeway, apps }: History, connections: SampleConnection[]): Promise<void> {
  for (const [at, connection] of connections.entries()) {
    const isBroken = at % 3 === 1 && connection.tenant !== suspended
    for (let checks = 0; checks < at % 4; checks++) await checkHealth(causeway, connection)
    if (at % 9 === 4) await causeway('POST', `/connections/${connection.id}/disconnect`, { reason: 'The user asked' })
    else await checkHealth(causeway, connection, isBroken)
  }
  const app = apps[1]
  if (!app) return
  const campaign = { causeCode: 'grant_revoked', integrationId: app.segment, reason: 'Users changed passwords' }
  const { members } = Campaign.parse(await causeway('POST', '/campaigns', campaign))
  const accounts = new Map(connections.map(({ id, account }) => [id, account]))
  for (const { url, connectionId } of members.slice(0, Math.ceil(members.length / 2))) {
    await whileApp(app, { account: accounts.get(connectionId) ?? '' }, () => visit(url))
  }
}

async function checkHealth(
  causeway: JsonApi,
  { id, app, account }: SampleConnection,
  endsGrant = false,
): Promise<void> {
  if (endsGrant) for (const grant of app.grants) if (grant.account === account) grant.endedBy ??= 'user'
  await causeway('POST', `/connections/${id}/health-checks`, { reason: 'Sample history' })
}
