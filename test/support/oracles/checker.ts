// Invariants that hold after everything has settled, whatever was killed. Each violation is one sentence.
import { gunzipSync } from 'node:zlib'
import type pg from 'pg'
import { sealedBox } from '../../../src/kit/crypto/sealed-box.ts'
import { readConfig } from '../../../src/onboarding/config.ts'
import { ownershipLabel } from '../../../src/onboarding/domain/connection.ts'
import { isEnded, isProvisioning, type LinkState } from '../../../src/onboarding/domain/link.ts'
import { sealContext } from '../../../src/onboarding/domain/seal-context.ts'
import { type StoredAnswer, unpackAnswer } from '../../../src/onboarding/provisioning/adapters/openid/stored-answer.ts'
import type { ControlPlaneDouble } from '../doubles/control-plane.ts'
import type { Fleet, LinkRow } from '../processes/onboarding-process.ts'
import { leaks, platformTexts, postgresReader, redisTexts } from './canaries.ts'
import { waitFor } from './wait-for.ts'

type Ledger = {
  links: LinkRow[]
  /** By link. An unreadable response may still hold a token. */
  escrow: Map<string, string>
  /** By link: responses whose tokens are kept for revocation or rollback. */
  kept: Map<string, string>
  ended: string[]
  actions: Map<string, string[]>
  events: Map<string, unknown[]>
}

/** Waits until no work is in progress. Links that wait for a person may stay. */
export const untilQuiet = (fleet: Pick<Fleet, 'sql'>, withinMs = 60_000): Promise<boolean> =>
  waitFor(
    'no link and no task is under way',
    async () => {
      const { rows } = await fleet.sql.query(
        `select state::text from links union select 'a task' from connection_tasks where due_at is not null`,
      )
      return rows.every(({ state }) => !['a task', 'exchanging'].includes(state) && !isProvisioning(state))
    },
    { withinMs },
  )

export async function brokenPromises(fleet: Fleet): Promise<string[]> {
  const ledger = await readLedger(fleet)
  return [
    ...lostTokens(fleet, ledger),
    ...doubles(fleet.platform, ledger),
    ...codesSentTwice(fleet),
    ...ledger.links.flatMap((link) => standstill(link)),
    ...ledger.links.flatMap((link) => onRecord(link, ledger)),
    ...(await secretsInView(fleet)),
  ]
}

/** One snapshot, because a live program may write between two reads. */
async function readLedger({ sql, env }: Fleet): Promise<Ledger> {
  const client = await sql.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    return await readTables(client, env)
  } finally {
    client.release(true) // with its transaction
  }
}

async function readTables(sql: pg.PoolClient, env: Fleet['env']): Promise<Ledger> {
  const seal = sealedBox(readConfig(env).encryptionKeys)
  const { rows: links } = await sql.query<LinkRow>('select * from links order by id')
  const { rows: sealed } = await sql.query('select link_id, sealed from escrow')
  const { rows: audit } = await sql.query("select action, link from audit where link is not null and action ~ '^link'")
  const { rows: events } = await sql.query("select payload ->> 'linkId' as link from outbox")
  const byId = new Map(links.map((link) => [link.id, link]))
  const open = ({ link_id, sealed: envelope }: { link_id: string; sealed: string }): [string, string] => {
    const { id, tenant, workspace } = byId.get(link_id) as LinkRow
    const raw = seal.open(envelope, sealContext.escrow({ id, tenant, workspace }))
    return [link_id, textsOf(unpackAnswer(raw))]
  }
  const { rows: grants } = await sql.query('select link_id, sealed from stored_grants where sealed is not null')
  const { rows: ended } = await sql.query(`select id from connections where status = 'disconnected'`)
  return {
    links,
    escrow: new Map(sealed.map(open)),
    kept: new Map(grants.map(open)),
    ended: ended.map(({ id }) => id),
    actions: grouped(
      audit,
      ({ link }) => link,
      ({ action }) => action,
    ),
    events: grouped(
      events,
      ({ link }) => link,
      (event) => event,
    ),
  }
}

/** One pass, because a soak test leaves thousands of links. */
function grouped<T, V>(things: Iterable<T>, keyOf: (thing: T) => string, memberOf: (thing: T) => V): Map<string, V[]> {
  const groups = new Map<string, V[]>()
  for (const thing of things) {
    const key = keyOf(thing)
    const group = groups.get(key) ?? []
    group.push(memberOf(thing))
    groups.set(key, group)
  }
  return groups
}

function textsOf({ bytes, contentEncoding }: StoredAnswer): string {
  const raw = Buffer.from(bytes, 'base64')
  const body = contentEncoding === 'gzip' ? gunzipSync(raw) : raw
  return `${body.toString('latin1')}\n${body.toString('utf16le')}`
}

/** Secrets appear only where they belong: not in other columns, logs or request parts. */
async function secretsInView({ key, sql, redis, platform, logs }: Fleet): Promise<string[]> {
  const readDatabase = readers.get(sql) ?? postgresReader(sql)
  readers.set(sql, readDatabase)
  const stores = [...(await redisTexts(redis.url)), ...(await readDatabase())]
  const log = { place: 'log', text: logs() }
  const requests = platform.seen.slice(searched.get(platform) ?? 0)
  searched.set(platform, platform.seen.length)
  return leaks([{ name: 'api key', value: key }], [...stores, ...platformTexts(requests), log])
}

const readers = new WeakMap<pg.Pool, ReturnType<typeof postgresReader>>()

/** Requests already searched do not change. */
const searched = new WeakMap<ControlPlaneDouble, number>()

/** Custody: every issued refresh token can be found or is invalid. */
function lostTokens({ provider, platform, codes }: Fleet, { links, escrow, kept }: Ledger): string[] {
  const bySession = new Map(links.map((link) => [link.session_id, link]))
  const connections = byOwner(platform.connections)
  return provider.issued.flatMap(({ token, code, revoked }) => {
    const link = bySession.get(codes.get(code) as string)
    if (!link) return ['a refresh token was issued to no link at all']
    const secrets = (connections.get(link.connection_id) ?? []).map(
      ({ spec }) => spec.secret as Record<string, unknown>,
    )
    const delivered = secrets.some(({ REFRESH_TOKEN }) => REFRESH_TOKEN === token)
    if (delivered && revoked) return [`link ${link.state}: its platform holds a token that was revoked`]
    if (delivered || revoked || link.state === 'exchange_unknown') return []
    const isStored =
      kept.get(link.id)?.includes(token) || (escrow.get(link.id)?.includes(token) && !isEnded(link.state as LinkState))
    if (isStored || [...kept.values()].some((answer) => answer.includes(token))) return []
    return [`link ${link.state} (${link.cause}): its refresh token is lost`]
  })
}

const byOwner = (things: ControlPlaneDouble['connections']) =>
  grouped(
    things.values(),
    ({ metadata }) => String(metadata.labels?.[ownershipLabel]),
    (thing) => thing,
  )

function doubles({ connections, functions }: ControlPlaneDouble, { links, ended }: Ledger): string[] {
  const owned = Object.entries({ connections: byOwner(connections), functions: byOwner(functions) })
  return links.flatMap((link) =>
    owned.flatMap(([what, things]) => {
      const count = things.get(link.connection_id)?.length ?? 0
      if (count > 1) return [`link ${link.state}: ${count} ${what}`]
      if (ended.includes(link.connection_id)) return count === 0 ? [] : [`disconnected: its ${what} are still there`]
      return link.state === 'linked' && count === 0 ? [`link linked: no ${what}`] : []
    }),
  )
}

export function codesSentTwice({ provider }: Fleet): string[] {
  const codes = provider.seen.tokenRequests.flatMap(({ code }) => code ?? [])
  return codes.length === new Set(codes).size ? [] : ['a code was sent twice']
}

/** Every unfinished link has a due time or needs attention. */
function standstill({ state, due_at }: LinkRow): string[] {
  const waits = !isEnded(state as LinkState) && state !== 'needs_attention'
  return waits && !due_at ? [`link ${state}: nobody will ever look at it`] : []
}

function onRecord({ id, state }: LinkRow, { actions, events }: Ledger): string[] {
  const times = (action: string) => (actions.get(id) ?? []).filter((each) => each === action).length
  const problems = times('link.started') === 1 ? [] : [`link ${state}: started ${times('link.started')} times`]
  if (!isEnded(state as LinkState)) return problems
  if (times(`link.${state}`) !== 1) problems.push(`link ${state}: its end is on record ${times(`link.${state}`)} times`)
  const told = events.get(id)?.length ?? 0
  return told === 1 ? problems : [...problems, `link ${state}: the tenant is told ${told} times`]
}
