import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { JsonApi } from '../json-api.ts'
import type { Instance } from '../misbehave/domain/instance.ts'
import type { Switches } from '../misbehave/domain/switch-table.ts'

type History = {
  causeway: JsonApi
  platform: JsonApi
  /** Each with the ID of its integration as its segment. */
  apps: Instance[]
  receiver: string
}

/** `receives`: the status that the tenant's webhook endpoint answers with. 410 disables the endpoint. */
const tenants = [
  { id: 'sample-books', displayName: 'Books (sample)', receives: 204 },
  { id: 'sample-clinic', displayName: 'Clinic (sample)', receives: 204 },
  { id: 'sample-freight', displayName: 'Freight (sample)', receives: 503 },
  { id: 'sample-school', displayName: 'School (sample)', receives: 204 },
  { id: 'sample-studio', displayName: 'Studio (sample)', receives: 410 },
]
/** Loses its workspace on the platform, so its links need attention. */
const misconfigured = { id: 'sample-travel', displayName: 'Travel (sample)', receives: 204 }
const suspended = 'sample-school'

const linkCount = 48

/** Every fourth link fails, each for the next of these reasons. */
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
const Campaign = z.object({ members: z.array(z.object({ url: z.string(), endUser: z.object({ id: z.string() }) })) })

export async function makeHistory(history: History): Promise<void> {
  const { causeway, platform } = history
  for (const tenant of [...tenants, misconfigured]) await addTenant(history, tenant)
  await platform('DELETE', `/workspaces/${misconfigured.id}`)
  const connections = await linkAccounts(history)
  await breakSome(history, connections)
  await causeway('POST', `/tenants/${suspended}/suspend`)
}

async function addTenant(history: History, { id, displayName, receives }: (typeof tenants)[number]): Promise<void> {
  const { causeway, platform, receiver } = history
  await platform('POST', '/workspaces', { name: id, displayName })
  await causeway('PUT', `/tenants/${id}`, { workspace: id, displayName, returnUrls: [returnUrlOf(id)] })
  await causeway('POST', `/tenants/${id}/webhooks`, { url: `${receiver}/${receives}` })
}

const returnUrlOf = (tenant: string) => `https://${tenant}.example/connected`

type SampleConnection = { id: string; tenant: string; app: Instance; account: string }

async function linkAccounts(history: History): Promise<SampleConnection[]> {
  const connections: SampleConnection[] = []
  for (let count = 0; count < linkCount; count++) {
    const app = itemAt(history.apps, count)
    const { id: tenant } = count % 16 === 15 ? misconfigured : itemAt(tenants, count * 2 + Math.floor(count / 5))
    const account = `user-${count + 1}`
    const failure = count % 4 === 3 ? itemAt(failures, Math.floor(count / 4)) : {}
    const id = await linkAccount(history, { tenant, app, account, behaviour: count % 16 === 15 ? {} : failure })
    if (id) connections.push({ id, tenant, app, account })
  }
  return connections
}

const itemAt = <T>(list: readonly T[], position: number): T => list[position % list.length] as T

type Attempt = { tenant: string; app: Instance; account: string; behaviour: Partial<Switches> }

/** Returns the ID of the connection if the link succeeded. */
async function linkAccount({ causeway }: History, attempt: Attempt): Promise<string | undefined> {
  const { tenant, app, account, behaviour } = attempt
  const verifier = randomBytes(32).toString('base64url')
  const session = Session.parse(
    await causeway('POST', '/connect-sessions', {
      tenantId: tenant,
      integrationId: app.segment,
      endUser: { id: account, email: `${account}@${tenant}.example` },
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
  Object.assign(switches, changes)
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

/** Disconnects some connections and breaks others. A campaign asks the users of one app to reconnect; half of them do. */
async function breakSome({ causeway, apps: [app] }: History, connections: SampleConnection[]): Promise<void> {
  for (const [at, connection] of connections.entries()) {
    if (at % 9 === 4) await causeway('POST', `/connections/${connection.id}/disconnect`, { reason: 'The user asked' })
    else await checkHealth(causeway, connection, at % 3 === 1)
  }
  if (!app) return
  const campaign = { causeCode: 'grant_revoked', integrationId: app.segment, reason: 'Users changed passwords' }
  const { members } = Campaign.parse(await causeway('POST', '/campaigns', campaign))
  for (const { url, endUser } of members.slice(0, Math.ceil(members.length / 2))) {
    await whileApp(app, { account: endUser.id }, () => visit(url))
  }
}

async function checkHealth(
  causeway: JsonApi,
  { id, app, account }: SampleConnection,
  endsGrant: boolean,
): Promise<void> {
  if (endsGrant) for (const grant of app.grants) if (grant.account === account) grant.endedBy ??= 'user'
  await causeway('POST', `/connections/${id}/health-checks`, { reason: 'Sample history' })
}
