import type { WrittenEntry } from '../../../domain/audit/audit-entry.ts'
import { appIcon, monogram } from '../../../domain/catalogue/app-icon.ts'
import type { Connection } from '../../../domain/connection.ts'
import type { HealthCheck, HealthOutcome } from '../../../domain/health/health.ts'
import type { Integration } from '../../../domain/integration.ts'
import { maxLabelValueLength } from '../../../domain/linking/connection-names.ts'
import { isErasedUser } from '../../../domain/offboarding/erasure.ts'
import type { GrantTrace, OpenAddress } from '../../../domain/ports/support-ledger.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import type { LinkPlaces } from '../../../domain/trace/link-places.ts'
import {
  type OutsideCall,
  type OutsideCallName,
  outsideCalls,
  type Server,
} from '../../../domain/trace/outside-call.ts'
import type { ConnectionDetails, FunctionDetails, LinkDetails } from '../../flows/read-support.ts'
import { causeWords } from './cause-words.ts'
import { scopesOf } from './connection-scopes.ts'
import { historyRows } from './history.ts'
import { openTask } from './task.ts'
import { timelineLocals } from './timeline.ts'
import { ago, connectionBadge, doneWordsIn, duration, formatTime, personHref, personName, shown } from './words.ts'

const doneWords = {
  created: 'Created. The user links an account when an app first calls the function.',
  renamed: 'The names were changed. Agents see a new alias when they list tools again.',
  resumed: 'The link was resumed. See its progress below.',
  ended: 'The link was ended. See below whether access was revoked.',
  cancelled: 'The link no longer works.',
  rolled_back: 'Rollback started. See its progress under “Timeline”.',
  disconnecting: 'Disconnecting: first at the app, then on the platform.',
  replayed: 'The event is being sent again.',
  client_revoked: 'The app no longer has access.',
  tools_approved: 'The change was approved. Agents see the new tools within seconds.',
} as const
export type Done = keyof typeof doneWords

const checkWords: Record<HealthOutcome, { title: string; kind: string; text?: string }> = {
  healthy: { title: 'Checked: works', kind: 'success', text: 'The app accepted a test call.' },
  broken: { title: 'Checked: broken', kind: 'error' },
  unclear: { title: 'Checked: unclear', kind: 'warning' },
  untested: {
    title: 'Checked: responds',
    kind: 'info',
    text: 'Access at the app was not tested, because the integration names no tool to test it with.',
  },
}

/** The result of "Check health now". */
export function checkedNotice({ outcome, cause }: Pick<HealthCheck, 'outcome' | 'cause'>) {
  const { title, kind, text } = checkWords[outcome]
  const found = cause && causeWords(cause)
  return {
    doneTitle: title,
    doneKind: kind,
    done: text ?? (found ? `${found.title}. ${found.advice}` : 'No cause was found.'),
  }
}

export const doneNotice = (done: unknown): string | undefined => doneWordsIn(doneWords, done)

export type CostPage = (connection: Pick<Connection, 'workspace' | 'functionName'>) => string | undefined

export function connectionLocals(shownConnection: ConnectionDetails, costOf: CostPage, now: Date) {
  const { connection, tenant, integration, timelines, health, grants, openAddresses, task } = shownConnection
  const isLive = connection.status !== 'disconnected'
  const timelineRows = timelines.map((timeline) => timelineLocals(timeline, now))
  const hasPrevious = grants.some(({ slot }) => slot === 'previous')
  const { rollbackObstacle, hasOlderLinks, hasOlderChecks } = shownConnection
  const relinkObstacle = relinkObstacleWords(shownConnection)
  return {
    title: connection.name,
    id: connection.id,
    heading: connection.account ? shown(connection.account.label, 80) : connection.name,
    integration: integration?.displayName ?? connection.integration,
    icon: iconOf(integration, connection.integration),
    badge: connectionBadge(connection),
    broken: brokenSince(connection, now),
    state: stateWords(connection, { newest: health[0], obstacle: relinkObstacle }, now),
    ending: endingWords(connection, now),
    unknownAccount: connection.account === undefined,
    names: { alias: connection.alias, labels: labelWords(connection, maxLabelValueLength) },
    facts: factsOf(connection, tenant?.displayName, wasNotCompared(timelines)),
    scopes: scopesOf(connection, integration),
    platform: {
      connection: connection.name,
      function: connection.functionName,
      address: `${connection.functionUrl}/mcp`,
      look: `/support/connections/${connection.id}/function`,
      tools: integration?.mcpUrl === undefined ? undefined : `/support/connections/${connection.id}/tools`,
      cost: costOf(connection),
    },
    grants: grants.map((grant) => grantLocals(grant, now)),
    erasure: erasureLink(connection),
    sharesClient: timelines.find(({ link }) => link.state === 'linked')?.entries.some(isSharedClient) ?? false,
    addresses: openAddresses.map((address) => addressLocals(address, connection, now)),
    task: task && openTask(task, now),
    retried: timelineRows.find(({ retry }) => retry),
    history: historyRows(shownConnection, now),
    rollbackObstacle: isLive && hasPrevious ? rollbackObstacle : undefined,
    relinkObstacle: isLive ? relinkObstacle : undefined,
    isCut: hasOlderLinks || hasOlderChecks,
    can: {
      relink: isLive && relinkObstacle === undefined,
      check: isLive,
      rollback: isLive && rollbackObstacle === undefined,
      disconnect: isLive,
    },
  }
}

const iconOf = (integration: Integration | undefined, id: string) => (integration ? appIcon(integration) : monogram(id))

function relinkObstacleWords({ relinkObstacle, tenant, connection, integration }: ConnectionDetails) {
  if (relinkObstacle === 'tenant_inactive') {
    const name = shown(tenant?.displayName ?? connection.tenant, 80)
    return `${name} is not active, so its users can’t reconnect. An admin can reactivate it on the tenant’s page.`
  }
  const app = integration?.displayName ?? connection.integration
  return relinkObstacle && `${app} has no OAuth client here, so the user couldn’t sign in. Ask your operator to add it.`
}

const brokenSince = ({ status, statusSince }: Connection, now: Date) =>
  status === 'needs_relink' ? { at: formatTime(statusSince), since: ago(statusSince, now) } : undefined

type Found = { newest: HealthCheck | undefined; obstacle: string | undefined }

function stateWords({ status, cause, healthUnknownSince }: Connection, { newest, obstacle }: Found, now: Date) {
  if (status === 'active' && healthUnknownSince) {
    const since = `${ago(healthUnknownSince, now)}`
    return { text: `Unknown: checks have been inconclusive for ${since}. See the timeline.`, cause: undefined }
  }
  if (status === 'active' && newest?.outcome === 'untested') {
    const text =
      'The function responds. Access at the app is not tested, because the integration names no tool to test it with.'
    return { text, cause: undefined }
  }
  if (status === 'active' && !newest) return { text: 'Linked, not checked yet. No action needed.', cause: undefined }
  if (status === 'active') return { text: 'Healthy. No action needed.', cause: undefined }
  if (status === 'disconnected')
    return { text: 'Disconnected. To use the app again, the user has to connect it again.', cause: undefined }
  const text = obstacle || cause ? undefined : 'Send the user a reconnect link to restore the connection.'
  return { text, cause: cause && causeWords(cause) }
}

function endingWords({ status, grantEndsAt }: Connection, now: Date): string | undefined {
  if (status !== 'active' || !grantEndsAt || grantEndsAt < now) return undefined
  return `The app ends the access on ${formatTime(grantEndsAt).text} UTC (in ${ago(now, grantEndsAt)}), even if it is used. Send the user a reconnect link before then.`
}

/** Whether the last re-link took an account that could not be compared. */
function wasNotCompared(timelines: ConnectionDetails['timelines']): boolean {
  const last = timelines.find(({ link }) => link.state === 'linked')
  return last?.entries.some(({ action, facts }) => action === 'link.linked' && facts.accountCompared === false) ?? false
}

function factsOf(connection: Connection, tenant: string | undefined, isNotCompared: boolean) {
  const at = (date: Date | undefined) => date && formatTime(date)
  const facts: Array<[string, string | ReturnType<typeof formatTime> | undefined, string?]> = [
    tenantFact(connection.tenant, tenant),
    ['Workspace', connection.workspace],
    ['End user', shown(connection.endUserId, 120), personHref(connection.tenant, connection.endUserId)],
    ['Account', accountWords(connection, isNotCompared)],
    ['Alias', connection.alias],
    ['Labels', connection.labels && labelWords(connection, 60)],
    ['Connected', at(connection.createdAt)],
    ['Reconnected', at(connection.relinkedAt)],
    ['Last checked', at(connection.checkedAt)],
    ['Disconnected', at(connection.disconnectedAt)],
  ]
  return facts.filter(([, value]) => value !== undefined)
}

const labelWords = ({ labels = {} }: Connection, maxLength: number): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${shown(value, maxLength)}`)
    .join(', ')

const tenantFact = (id: string, name: string | undefined): [string, string, string] => [
  'Tenant',
  `${shown(name ?? id, 80)} (${id})`,
  `/support/tenants/${encodeURIComponent(id)}`,
]

function accountWords({ account, status }: Connection, isNotCompared: boolean): string | undefined {
  if (!account && status === 'disconnected') return undefined
  if (!account) return 'Unknown: not compared when the user reconnects'
  const words = `${shown(account.label, 120)} (${shown(account.id, 120)})`
  return isNotCompared ? `${words} – account not compared at the last reconnect: none was known before` : words
}

function erasureLink({ tenant, endUserId, status }: Connection) {
  if (status === 'disconnected' && isErasedUser(endUserId)) {
    return { href: `/support/erasures/${encodeURIComponent(endUserId)}`, label: 'View the erasure of this end user' }
  }
  const query = new URLSearchParams({ tenant, endUserId })
  return { href: `/support/erasures?${query}`, label: 'Erase this end user…' }
}

const isSharedClient = (entry: WrittenEntry) => entry.action === 'link.started' && entry.facts.client === 'shared'

const grantLocals = ({ slot, fingerprint, isStored, storedUntil, since, linkId }: GrantTrace, now: Date) => ({
  slot: slot === 'current' ? 'Current' : 'Previous',
  fingerprint: fingerprint ?? 'none',
  since: formatTime(since),
  stored: isStored && storedUntil ? `stored for another ${ago(now, storedUntil)}` : isStored ? 'stored' : 'not stored',
  link: linkId,
})

const addressLocals = (
  { id, expiresAt, createdAt, allowOtherAccount }: OpenAddress,
  { account }: Connection,
  now: Date,
) => ({
  id,
  created: `${ago(createdAt, now)} ago`,
  expires: `in ${ago(now, expiresAt)}`,
  allowOtherAccount: allowOtherAccount || account === undefined,
})

const stateBadges: Record<string, string> = { deployed: 'linked', deploying: 'pending', failed: 'failed' }
const stateLabels: Record<string, string> = { deployed: 'Deployed', deploying: 'Deploying', failed: 'Failed' }

export function functionLocals({ connection, state, tools }: FunctionDetails) {
  const status =
    state === undefined
      ? 'The platform isn’t responding'
      : state === 'missing'
        ? 'Not on the platform'
        : (stateLabels[state.status] ?? state.status)
  return {
    title: `Function ${connection.functionName}`,
    back: `/support/connections/${connection.id}`,
    name: connection.functionName,
    status: shown(status, 60),
    badge: typeof state === 'object' ? (stateBadges[state.status] ?? 'none') : 'failed',
    message: typeof state === 'object' && state.message ? shown(state.message, 300) : undefined,
    tools: tools?.map((tool) => shown(tool, 80)),
  }
}

export const linkLocals = (
  { timeline, tenant, integration, connection, calls }: LinkDetails,
  places: LinkPlaces,
  now: Date,
) => ({
  title: `Link ${timeline.link.id}`,
  timeline: timelineLocals(timeline, now),
  integration: integration?.displayName ?? timeline.link.integration,
  icon: iconOf(integration, timeline.link.integration),
  facts: [
    tenantFact(timeline.link.tenant, tenant?.displayName),
    ['Workspace', timeline.link.workspace],
    ['End user', personName(timeline.link.endUser), personHref(timeline.link.tenant, timeline.link.endUser.id)],
    ['Account', timeline.link.account ? shown(timeline.link.account.label, 120) : 'unknown'],
    ['Connection name', timeline.link.connectionName],
    ['Session', timeline.link.sessionId],
  ],
  connection: connection && `/support/connections/${connection.id}`,
  calls: callRows(calls, integration?.displayName ?? timeline.link.integration),
  isTest: isTestTenant(timeline.link.tenant),
  places,
})

const callWords: Record<OutsideCallName, string> = {
  token: 'Exchange the code',
  token_exchange: 'Exchange the first token',
  refresh: 'Refresh the token',
  userinfo: 'Read the account',
  revocation: 'Revoke access',
  connection_create: 'Create the connection',
  connection_read: 'Look up the connection',
  connection_replace: 'Replace the connection',
  connection_delete: 'Delete the connection',
  function_create: 'Create the function',
  function_read: 'Look up the function',
  function_replace: 'Replace the function',
  function_delete: 'Delete the function',
  verification: 'List the function’s tools (MCP)',
}

const callRows = (calls: readonly OutsideCall[], app: string) => {
  const names: Record<Server, string> = { provider: app, platform: 'Platform' }
  return calls.map(({ call, at, status, error, durationMs, attempt }) => ({
    at: formatTime(at),
    server: names[outsideCalls[call]],
    call: callWords[call],
    isFailed: error !== undefined || (status ?? 0) >= 400,
    // Our own codes, or those of Node and OpenSSL.
    result: [status === undefined ? undefined : String(status), error && shown(error, 60)].filter(Boolean).join(' '),
    took: duration(durationMs),
    attempt,
  }))
}
