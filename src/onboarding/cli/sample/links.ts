// One link of the sample: its session, its row, the entries that tell of its steps, and what its tenant was told.
import type { Actor } from '../../domain/audit/audit.ts'
import { worker } from '../../domain/audit/audit.ts'
import { type AuditEntry, aboutLink, linkEntry } from '../../domain/audit/audit-entry.ts'
import { type Cause, explain } from '../../domain/cause.ts'
import { isEnded, type LinkState, type ProvisioningState, statusOf } from '../../domain/link.ts'
import type { TenantEventName } from '../../domain/tenant-event.ts'
import { callsColumn } from '../../provisioning/adapters/postgres/link-calls.ts'
import { sampleCalls } from './calls.ts'
import { type Draft, daySeconds, later, type MakeId, type Row } from './draft.ts'

export type SampleUser = { id: string; email: string }

export type SampleLink = {
  at: Date
  tenant: string
  integration: string
  user: SampleUser
  connection: { id: string; name: string; functionUrl: string }
  state: LinkState
  cause?: Cause | undefined
  resumeFrom?: ProvisioningState | undefined
  /** When it mends a connection: who asked for it, and through which session if that is there already. */
  relink?: { actor: Actor; reason: string; sessionId?: string } | undefined
  /** Of a step that is tried again. */
  retry?: { attempts: number; nextAttemptAt: Date } | undefined
}

type Needs = { draft: Draft; makeId: MakeId; keyOf: (tenant: string) => Actor; tell: Tell; now: Date }

/** Puts an event for the endpoints of the tenant. */
export type Tell = (event: { at: Date; tenant: string; name: TenantEventName; payload: object }) => void

/** Returns the id of the link and when it ended. */
export function addLink(needs: Needs, link: SampleLink): { id: string; endedAt: Date } {
  const { draft, makeId } = needs
  const id = makeId('lnk', link.at)
  const sessionId = link.relink?.sessionId ?? addSession(needs, link)
  const about = { id, tenant: link.tenant, connectionId: link.connection.id }
  const steps = stepsOf(link, needs.keyOf(link.tenant), about)
  for (const step of steps) draft.audit.push({ at: step.at, entry: step.entry })
  const endedAt = steps.at(-1)?.at ?? link.at
  draft.rows.links.push(linkRow(link, { id, sessionId, endedAt }, needs.now))
  tellOf(needs, link, { id, sessionId, endedAt })
  return { id, endedAt }
}

/** A session for the link, with the entry of whoever asked for it. */
function addSession(
  { draft, makeId, keyOf }: Needs,
  { at, tenant, integration, user, relink, connection }: SampleLink,
) {
  const mintedAt = later(at, -45)
  const id = makeId('ses', mintedAt)
  const session = { id, at: mintedAt, tenant, integration, user, expiresAt: later(mintedAt, 900) }
  draft.rows.connect_sessions.push(sessionRow({ ...session, connectionId: relink && connection.id }))
  const subject = { kind: 'connect_session' as const, id }
  const entry: AuditEntry = relink
    ? {
        action: 'relink.minted',
        actor: relink.actor,
        subject,
        tenant,
        connection: connection.id,
        reason: relink.reason,
        facts: { allowOtherAccount: false, ttlSeconds: daySeconds },
      }
    : { action: 'session.minted', actor: keyOf(tenant), subject, tenant, facts: { integrationId: integration } }
  draft.audit.push({ at: mintedAt, entry })
  return id
}

type SessionParts = {
  id: string
  at: Date
  tenant: string
  integration: string
  user: SampleUser
  connectionId: string | undefined
  expiresAt: Date
  cancelledAt?: Date
}

/** The digest is of no token: nobody can open it. */
export const sessionRow = ({ id, at, user, tenant, integration, ...session }: SessionParts): Row => ({
  id,
  token_digest: `sample:${id}`,
  tenant,
  integration,
  end_user: user,
  return_url: `https://${tenant}.example/connected`,
  connection_id: session.connectionId ?? null,
  expires_at: session.expiresAt,
  cancelled_at: session.cancelledAt ?? null,
  created_at: at,
})

type LinkTimes = { id: string; sessionId: string; endedAt: Date }

const linkRow = (link: SampleLink, { id, sessionId, endedAt }: LinkTimes, now: Date): Row => ({
  id,
  session_id: sessionId,
  tenant: link.tenant,
  workspace: link.tenant,
  integration: link.integration,
  end_user: link.user,
  return_url: `https://${link.tenant}.example/connected`,
  browser: 'sample',
  state: link.state,
  cause: link.cause ?? null,
  resume_from: link.resumeFrom ?? null,
  account_id: hasAccount(link.state) ? `${link.integration}-${link.user.id}` : null,
  account_label: hasAccount(link.state) ? link.user.email : null,
  connection_id: link.connection.id,
  connection_name: link.connection.name,
  function_name: link.connection.name,
  function_url: link.state === 'linked' ? link.connection.functionUrl : null,
  relink: link.relink !== undefined,
  attempts: link.retry?.attempts ?? 0,
  next_attempt_at: link.retry?.nextAttemptAt ?? null,
  due_at: dueAt(link, now),
  calls: callsColumn(callsOf(link)) || null,
  created_at: link.at,
  updated_at: endedAt,
})

function callsOf(link: SampleLink) {
  const { at, state, cause, retry } = link
  return sampleCalls({ at, state, cause, passed: passedBy(link), attempts: retry?.attempts ?? 0 })
}

/** No worker touches what is shown as under way: there is nothing behind it. */
function dueAt({ state, retry }: SampleLink, now: Date): Date | null {
  if (retry) return retry.nextAttemptAt
  return isEnded(state) || state === 'needs_attention' ? null : later(now, 30 * daySeconds)
}

const hasAccount = (state: LinkState): boolean => statusOf(state) !== 'abandoned' && !beforeExchange.includes(state)

const beforeExchange: LinkState[] = ['authorizing', 'code_waiting', 'exchanging', 'cancelled', 'denied']

type Step = { at: Date; entry: AuditEntry }
type About = { id: string; tenant: string; connectionId: string }

const browser: Actor = { kind: 'browser' }

/** The states on the way, in order, as the driver would have passed them. */
const wayOf = {
  first: ['code_waiting', 'exchanging', 'escrowed', 'connection_ready', 'function_ready'],
  again: ['exchanging', 'escrowed', 'testing', 'tested', 'connection_ready', 'function_ready', 'verified'],
} as const satisfies Record<string, LinkState[]>

const secondsAt: Partial<Record<LinkState, number>> = { code_waiting: 38, exchanging: 39, abandoned: 1_800 }

function stepsOf(link: SampleLink, key: Actor, about: About): Step[] {
  const started: Step = {
    at: link.at,
    entry: { action: 'link.started', actor: browser, ...aboutLink(about), facts: { client: 'shared' } },
  }
  const passed = passedBy(link).map((state, position) => ({
    at: later(link.at, secondsAt[state] ?? 40 + position),
    entry: entryOf(state, link, key, about),
  }))
  if (link.state === 'authorizing') return [started]
  const last = later(passed.at(-1)?.at ?? link.at, link.state === 'abandoned' ? 1_800 : 2)
  return [started, ...passed, { at: last, entry: entryOf(link.state, link, key, about) }]
}

/** What came before the state that it is in: all of the way, or as much of it as such a link gets to. */
function passedBy({ state, resumeFrom, relink }: SampleLink): LinkState[] {
  const way: readonly LinkState[] = relink ? wayOf.again : wayOf.first
  if (state === 'linked') return [...way]
  if (resumeFrom) return way.slice(0, Math.max(0, way.indexOf(resumeFrom)) + 1)
  if (way.includes(state)) return way.slice(0, way.indexOf(state))
  if (state === 'failed' || state === 'exchange_unknown') return way.slice(0, way.indexOf('exchanging') + 1)
  return state === 'revoking' || state === 'rolling_back' || state === 'verified' ? [...way] : []
}

function entryOf(state: LinkState, { cause }: SampleLink, key: Actor, about: About): AuditEntry {
  const why = cause && { cause }
  switch (state) {
    case 'code_waiting':
    case 'denied':
    case 'cancelled':
      return linkEntry(about, state, browser, (state === 'code_waiting' ? {} : why) as never)
    case 'exchanging':
      return linkEntry(about, state, key, { following: 'completion' })
    case 'linked':
      return linkEntry(about, state, worker, { functionMs: 640, verified: true })
    case 'needs_attention':
    case 'failed':
    case 'abandoned':
    case 'exchange_unknown':
    case 'revoking':
    case 'rolling_back':
      return linkEntry(about, state, worker, (why ?? {}) as never)
    default:
      return linkEntry(about, state, worker, {} as never)
  }
}

function tellOf({ tell }: Needs, link: SampleLink, { id, sessionId, endedAt }: LinkTimes): void {
  const { tenant, integration, user, relink, cause, connection } = link
  const about = {
    linkId: id,
    purpose: relink ? 'relink' : 'link',
    connectSessionId: sessionId,
    integrationId: integration,
    endUser: { id: user.id },
  }
  if (link.state === 'linked') {
    const name = relink ? 'connection.relinked' : 'link.succeeded'
    tell({ at: endedAt, tenant, name, payload: { ...about, connectionId: connection.id } })
  } else if (cause && isEnded(link.state)) {
    tell({ at: endedAt, tenant, name: 'link.failed', payload: { ...about, cause: explain(cause) } })
  }
}
