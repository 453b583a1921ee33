// One connection of the sample, from its first link on: its checks, the day it broke, and how it was mended.
import { worker } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { type Cause, explain } from '../../domain/cause.ts'
import type { HealthOutcome } from '../../domain/health/health.ts'
import { sampleAgent } from './cast.ts'
import type { Chance } from './chance.ts'
import { type Draft, daySeconds, later, type MakeId } from './draft.ts'
import type { SampleUser, Tell } from './links.ts'

export type SampleConnection = {
  id: string
  name: string
  functionUrl: string
  tenant: string
  integration: string
  scopes: readonly string[]
  user: SampleUser
  linkId: string
  linkedAt: Date
  broken?: { at: Date; cause: Cause }
  /** By which link, once it was broken. */
  relinked?: { at: Date; linkId: string }
  disconnectedAt?: Date
}

type Needs = { draft: Draft; chance: Chance; makeId: MakeId; tell: Tell; now: Date }

/** A month of them, a day apart, for the chart of the integration. */
const mostChecks = 31

export function addConnection(needs: Needs, connection: SampleConnection): void {
  const { draft } = needs
  const { broken, disconnectedAt } = connection
  const checks = checksOf(needs, connection)
  draft.rows.connections.push({
    id: connection.id,
    tenant: connection.tenant,
    workspace: connection.tenant,
    integration: connection.integration,
    name: connection.name,
    function_name: connection.name,
    function_url: connection.functionUrl,
    account_id: `${connection.integration}-${connection.user.id}`,
    account_label: connection.user.email,
    scopes: connection.scopes,
    end_user_id: connection.user.id,
    created_at: connection.linkedAt,
    ...statusOf(connection),
    ...healthOf(connection, checks),
  })
  draft.rows.health_checks.push(...checks.map((check) => ({ ...check, connection_id: connection.id })))
  addGrant(needs, connection)
  if (broken) tellBroken(needs, connection, broken)
  if (disconnectedAt) addDisconnect(needs, connection, disconnectedAt)
}

function statusOf({ broken, relinked, disconnectedAt, linkedAt }: SampleConnection) {
  const since = disconnectedAt ?? relinked?.at ?? broken?.at ?? linkedAt
  const isBroken = broken !== undefined && relinked === undefined && disconnectedAt === undefined
  return {
    status: disconnectedAt ? 'disconnected' : isBroken ? 'needs_relink' : 'active',
    status_since: since,
    updated_at: since,
    cause: isBroken ? broken.cause : null,
    grant_version: relinked ? 1 : 0,
    relinked_at: relinked?.at ?? null,
    disconnected_at: disconnectedAt ?? null,
  }
}

type Check = { at: Date; outcome: HealthOutcome }

function healthOf({ disconnectedAt }: SampleConnection, checks: readonly Check[]) {
  const lastClear = checks.findLast(({ outcome }) => outcome !== 'unclear')
  const unclear = checks.filter(({ at }) => !lastClear || at > lastClear.at)
  return {
    checked_at: checks.at(-1)?.at ?? null,
    unclear_since: unclear[0]?.at ?? null,
    unclear_checks: unclear.length,
    health_unknown_since: (disconnectedAt ? undefined : unclear[1]?.at) ?? null,
  }
}

function checksOf({ chance, now }: Needs, connection: SampleConnection) {
  const until = connection.disconnectedAt ?? now
  const days = Math.floor((until.getTime() - connection.linkedAt.getTime()) / (daySeconds * 1_000))
  const first = Math.max(1, days - mostChecks + 1)
  return Array.from({ length: Math.max(0, days - first + 1) }, (_, position) => {
    const at = later(connection.linkedAt, (first + position) * daySeconds)
    const outcome = outcomeAt(connection, at, chance)
    const cause =
      outcome === 'broken' ? connection.broken?.cause : outcome === 'unclear' ? 'provider_unavailable' : undefined
    return { at, outcome, cause: cause ?? null, duration_ms: chance.between(180, 900), actor_kind: 'worker' }
  })
}

function outcomeAt({ broken, relinked, integration }: SampleConnection, at: Date, chance: Chance): HealthOutcome {
  if (broken && at >= broken.at && !(relinked && at >= relinked.at)) return 'broken'
  if (integration === 'notion') return 'untested'
  return chance.happens(0.02) ? 'unclear' : 'healthy'
}

/** Only its fingerprint: there never was a grant. */
function addGrant({ draft }: Needs, connection: SampleConnection): void {
  if (connection.disconnectedAt) return
  const current = connection.relinked ?? { at: connection.linkedAt, linkId: connection.linkId }
  draft.rows.stored_grants.push({
    link_id: current.linkId,
    connection_id: connection.id,
    slot: 'current',
    fingerprint: connection.id.slice(-12),
    created_at: current.at,
  })
}

function tellBroken({ draft, tell }: Needs, connection: SampleConnection, broken: { at: Date; cause: Cause }): void {
  const { tenant, integration, user } = connection
  draft.audit.push({
    at: broken.at,
    entry: {
      action: 'connection.needs_relink',
      actor: worker,
      ...aboutConnection(connection),
      facts: { cause: broken.cause },
      before: { status: 'active', cause: null },
      after: { status: 'needs_relink', cause: broken.cause },
    },
  })
  const about = { connectionId: connection.id, integrationId: integration, endUser: { id: user.id } }
  tell({ at: broken.at, tenant, name: 'connection.needs_relink', payload: { ...about, cause: explain(broken.cause) } })
}

function addDisconnect({ draft, makeId, tell }: Needs, connection: SampleConnection, at: Date): void {
  const reason = 'The user asked for it'
  const { tenant, integration, user } = connection
  const about = aboutConnection(connection)
  draft.rows.connection_tasks.push({
    id: makeId('tsk', at),
    connection_id: connection.id,
    kind: 'disconnect',
    step: 'done',
    reason,
    actor: sampleAgent,
    notes: { revocation: 'revoked' },
    created_at: later(at, -6),
    updated_at: at,
  })
  const say = (seconds: number, entry: Draft['audit'][number]['entry']) =>
    draft.audit.push({ at: later(at, seconds), entry })
  say(-6, { action: 'disconnect.started', actor: sampleAgent, ...about, reason, facts: {} })
  say(-4, {
    action: 'connection.grant_revocation',
    actor: worker,
    ...about,
    reason,
    facts: { revocation: 'revoked' },
  })
  say(-2, { action: 'connection.function_removed', actor: worker, ...about, reason })
  say(0, {
    action: 'connection.disconnected',
    actor: worker,
    ...about,
    reason,
    facts: { revocation: 'revoked' },
    before: { status: 'active', cause: null },
    after: { status: 'disconnected', cause: null },
  })
  const payload = { connectionId: connection.id, integrationId: integration, endUser: { id: user.id } }
  tell({ at, tenant, name: 'connection.disconnected', payload })
}
