import type { approvalOutcomes } from '../../../domain/approval.ts'
import { type AuditAction, auditActionNames, auditActions } from '../../../domain/audit/audit-actions.ts'
import type { WrittenEntry } from '../../../domain/audit/audit-entry.ts'
import { type FactShape, isOptional, type SubjectKind } from '../../../domain/audit/audit-facts.ts'
import { causeCodes } from '../../../domain/cause.ts'
import { connectionStatuses } from '../../../domain/connection.ts'
import { linkStates, linkStateTable } from '../../../domain/link.ts'
import { causeWords } from './cause-words.ts'
import { connectionBadge, duration, shown } from './words.ts'

export const actionWords = (action: AuditAction): string => auditActions[action].words

export const actorWords: Record<WrittenEntry['actor']['kind'], string> = {
  browser: 'End user',
  api_key: 'API key',
  worker: 'Causeway',
  operator: 'Operator',
  support: 'Support',
}

export const subjectWords: Record<SubjectKind, string> = {
  tenant: 'Tenant',
  oauth_client: 'OAuth client',
  api_key: 'API key',
  connect_session: 'Connect session',
  link: 'Link',
  connection: 'Connection',
  manage_session: 'Manage session',
  campaign: 'Campaign',
  erasure: 'Erasure',
  import: 'Import',
  webhook: 'Webhook',
  webhook_delivery: 'Webhook delivery',
  console_user: 'Console user',
}

type NamesIn<Facts> = Facts extends unknown ? keyof Facts : never

type FactName = NamesIn<(typeof auditActions)[AuditAction]['facts']>

/** Facts whose label is not their name in words. */
const factLabels: Partial<Record<FactName | 'resumeFrom', string>> = {
  added: 'new tools',
  afterSeconds: 'seconds until it signs',
  again: 'asked to sign in again',
  allowOtherAccount: 'another account allowed',
  changed: 'changed tools',
  changedMembers: 'changed settings',
  checks: 'checks one after another',
  choices: 'integrations to pick from',
  client: 'OAuth client',
  clientId: 'client ID',
  connectionId: 'connection',
  eventId: 'event',
  eventType: 'type of event',
  functionMs: 'function took (ms)',
  grant: 'access',
  grants: 'access of accounts',
  hash: 'hash of the list',
  held: 'waits for approval',
  ifConnected: 'if connected before',
  importId: 'import',
  integrationId: 'integration',
  keyThumbprint: 'thumbprint of the key',
  keyTenantId: 'tenant of the key',
  linkId: 'link',
  list: 'List',
  members: 'connections',
  neededRole: 'role needed',
  others: 'still sealed by another key',
  previousGrant: 'previous access',
  receivedAt: 'access received',
  receiverGone: 'receiver answered 410',
  recovered: 'found on the platform after a failover',
  recognized: 'account was connected before',
  refusal: 'rejected because',
  removed: 'removed tools',
  remaining: 'left for another campaign',
  requestId: 'request',
  rewrapped: 'sealed again',
  sessions: 'sessions ended',
  stalled: 'ended without being resumed',
  tenantId: 'tenant',
  resumeFrom: 'resumes at',
  ttlSeconds: 'valid for',
  liveGrants: 'other access of the account',
  unrequestedScopes: 'granted but not requested',
  unchanged: 'connection is as it was',
  verified: 'responded over MCP',
  wrongChecks: 'checks that failed',
}

export const factLabel = (fact: string): string =>
  factLabels[fact as FactName] ?? fact.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

export const factsShown = ({ facts }: Pick<WrittenEntry, 'facts'>) =>
  Object.entries(facts).flatMap(([fact, value]) =>
    value === undefined ? [] : [{ fact, name: factLabel(fact), value: shown(valueWords(fact, value)) }],
  )

export function valueWords(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.join(' ')
  if (typeof value === 'object') return JSON.stringify(value)
  if (name.endsWith('Seconds')) return duration(Number(value) * 1_000)
  const named = namedValues[name]?.[String(value)] ?? String(value)
  if (!codeFacts.has(name)) return named
  const words = named.replaceAll('_', ' ')
  return /^[A-Z ]+$/.test(words) ? words.toLowerCase() : words
}

/** Facts whose values are codes: of servers, such as invalid_grant, or ours. */
const codeFacts = new Set([
  'detail',
  ...auditActionNames.flatMap((action) =>
    Object.entries<FactShape[string]>(auditActions[action].facts).flatMap(([name, kind]) =>
      Array.isArray(isOptional(kind) ? kind.optional : kind) ? [name] : [],
    ),
  ),
])

const causeTitles = Object.fromEntries(causeCodes.map((code) => [code, causeWords(code).title]))
const stateLabels = Object.fromEntries(linkStates.map((state) => [state, linkStateTable[state].label]))

const approvalWords: Record<(typeof approvalOutcomes)[number], string> = {
  once: 'allowed once',
  hour: 'allowed for an hour',
  decline: 'declined',
  expired: 'nobody decided',
}

const namedValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cause: causeTitles,
  refusal: causeTitles,
  state: stateLabels,
  resumeFrom: stateLabels,
  outcome: approvalWords,
  status: Object.fromEntries(connectionStatuses.map((status) => [status, connectionBadge({ status }).label])),
}
