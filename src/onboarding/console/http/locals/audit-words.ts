// How the console says what an audit entry states.
import { type AuditAction, auditActionNames, auditActions } from '../../../domain/audit/audit-actions.ts'
import type { WrittenEntry } from '../../../domain/audit/audit-entry.ts'
import type { SubjectKind } from '../../../domain/audit/audit-facts.ts'
import { type Cause, causes } from '../../../domain/cause.ts'
import { shown } from './words.ts'

export const actionWords = (action: AuditAction): string => auditActions[action].words

export const actionChoices = auditActionNames.map((action) => ({ action, words: actionWords(action) }))

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

export type FactName = NamesIn<(typeof auditActions)[AuditAction]['facts']>

const factWords: Record<FactName, string> = {
  accountCompared: 'account compared',
  action: 'action',
  actor: 'actor',
  added: 'new tools',
  afterSeconds: 'seconds until it signs',
  again: 'asked to sign in again',
  allowOtherAccount: 'another account allowed',
  cause: 'cause',
  changed: 'changed tools',
  checks: 'checks in a row',
  choices: 'integrations to pick from',
  client: 'OAuth client',
  clientId: 'client ID',
  connectionId: 'connection',
  detail: 'detail',
  endsAt: 'ends at',
  eventId: 'event',
  expiresAt: 'expires at',
  eventType: 'type of event',
  following: 'following',
  format: 'format',
  from: 'from',
  functionMs: 'function took (ms)',
  grant: 'grant',
  hash: 'hash of the list',
  held: 'waits for approval',
  grants: 'grants',
  ifConnected: 'if connected before',
  importId: 'import',
  integrationId: 'integration',
  issuer: 'issuer',
  keyThumbprint: 'thumbprint of the key',
  keyTenantId: 'tenant of the key',
  linkId: 'link',
  list: 'List',
  members: 'connections',
  name: 'name',
  neededRole: 'role needed',
  others: 'still sealed by another key',
  outcome: 'outcome',
  previousGrant: 'previous grant',
  receiverGone: 'receiver answered 410',
  recognized: 'account was connected before',
  refusal: 'rejected because',
  registeredBy: 'registered by',
  removed: 'removed tools',
  remaining: 'left for another campaign',
  requestId: 'request',
  revocation: 'revocation',
  rewrapped: 'sealed again',
  role: 'role',
  rows: 'rows',
  sessions: 'sessions ended',
  stalled: 'ended without being resumed',
  tenantId: 'tenant',
  testMode: 'test mode',
  to: 'to',
  tools: 'tools',
  ttlSeconds: 'valid for (seconds)',
  liveGrants: 'live grants of the account',
  unrequestedScopes: 'granted but not requested',
  unchanged: 'connection is as it was',
  verified: 'responded over MCP',
  wrongChecks: 'checks that failed',
}

/** Each fact with its name and value, as people read them. */
export const factsShown = ({ facts }: Pick<WrittenEntry, 'facts'>) =>
  Object.entries(facts).flatMap(([fact, value]) =>
    value === undefined ? [] : [{ fact, name: factWords[fact as FactName] ?? fact, value: shown(textOf(fact, value)) }],
  )

function textOf(fact: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.join(' ')
  if (typeof value === 'object') return JSON.stringify(value)
  return (fact === 'cause' || fact === 'refusal') && isCause(value) ? causes[value].title : String(value)
}

const isCause = (value: unknown): value is Cause => typeof value === 'string' && Object.hasOwn(causes, value)
