import { approvalOutcomes } from '../approval.ts'
import { causeCodes } from '../cause.ts'
import { revocations } from '../connection-task.ts'
import { manageRefusals } from '../end-users/manage-session.ts'
import { healthOutcomes } from '../health/health.ts'
import { type ActionDescription, optional } from './audit-facts.ts'

const cause = causeCodes
const detail = optional('text')
const reason = true
const change = true

export const connectionActions = {
  'connection.created': {
    about: 'connection',
    facts: {},
    reason,
    change,
    words: 'Function created before its account',
  },
  'connection.renamed': { about: 'connection', facts: {}, reason, change, words: 'Alias or labels changed' },
  'connection.needs_relink': { about: 'connection', facts: { cause }, change, words: 'Found broken: reconnect needed' },
  'connection.health_unknown': {
    about: 'connection',
    facts: { cause, detail, checks: 'number' },
    words: 'Checks cannot tell whether it works',
  },
  'connection.grant_ends_soon': {
    about: 'connection',
    facts: { endsAt: 'text' },
    words: 'The tenant was told that access ends soon',
  },
  'connection.account_learned': { about: 'connection', facts: {}, change, words: 'Account learned from the app' },
  'connection.recovered': { about: 'connection', facts: {}, change, words: 'Found working again' },
  'connection.checked': {
    about: 'connection',
    facts: { outcome: healthOutcomes },
    reason,
    change,
    words: 'Health checked',
  },
  'connection.verified': { about: 'connection', facts: { tools: 'texts' }, reason, change, words: 'Verified over MCP' },
  'connection.verify_failed': { about: 'connection', facts: { cause }, reason, change, words: 'Verification failed' },
  'connection.tools_changed': {
    about: 'connection',
    facts: { held: 'boolean', added: optional('number'), removed: optional('number'), changed: optional('number') },
    words: 'The MCP server changed its tools',
  },
  'connection.tools_approved': {
    about: 'connection',
    facts: { hash: 'text' },
    reason,
    change,
    words: 'Changed tools approved',
  },
  'access_token.issued': {
    about: 'connection',
    facts: { expiresAt: 'text' },
    words: 'Access token issued to the tenant',
  },
  'connection.approval_requested': {
    about: 'connection',
    facts: { approval: 'text', tool: 'text' },
    words: 'Tool call waits for a person',
  },
  'connection.approval_decided': {
    about: 'connection',
    facts: { approval: 'text', tool: 'text', outcome: approvalOutcomes },
    words: 'Tool call decided by a person',
  },
  'function_login.created': {
    about: 'connection',
    facts: { ttlSeconds: 'number' },
    change,
    words: 'Login for an MCP client created',
  },
  'function_login.ended': {
    about: 'connection',
    facts: {},
    change,
    words: 'Logins of the user for MCP clients ended',
  },
  'function_grant.revoked': {
    about: 'connection',
    facts: { grant: 'text' },
    reason,
    change,
    words: 'Access of an MCP client revoked',
  },
  'manage_session.minted': {
    about: 'manage_session',
    facts: { ttlSeconds: 'number' },
    words: 'Page for a user’s connections created',
  },
  'manage_session.opened': { about: 'manage_session', facts: {}, words: 'Page for a user’s connections opened' },
  'manage_session.ended': {
    about: 'manage_session',
    facts: {},
    change,
    words: 'Page for a user’s connections closed by the user',
  },
  'manage_session.revoked': {
    about: 'manage_session',
    facts: {},
    change,
    words: 'Page for a user’s connections revoked',
  },
  'manage.rejected': {
    about: optional('manage_session'),
    facts: { refusal: ['origin', ...manageRefusals] },
    words: 'Page for a user’s connections: request rejected',
  },
  'disconnect.started': {
    about: 'connection',
    facts: { following: optional(['tenant_deletion', 'erasure', 'manage_page']) },
    reason,
    change,
    words: 'Disconnect started',
  },
  'disconnect.failed': { about: 'connection', facts: { cause }, reason, words: 'Disconnect failed' },
  'connection.grant_revocation': {
    about: 'connection',
    facts: { revocation: revocations },
    reason,
    words: 'Access revoked, as far as possible',
  },
  'connection.function_removed': {
    about: 'connection',
    facts: {},
    reason,
    words: 'Function removed from the platform',
  },
  'connection.disconnected': {
    about: 'connection',
    facts: { revocation: optional(revocations) },
    reason,
    change,
    words: 'Disconnected',
  },
  'rollback.started': { about: 'connection', facts: {}, reason, change, words: 'Rollback started' },
  'rollback.tested': { about: 'connection', facts: {}, reason, words: 'Rollback: the previous access works' },
  'rollback.swapped': {
    about: 'connection',
    facts: {},
    reason,
    words: 'Rollback: the previous access is on the platform',
  },
  'rollback.verified': { about: 'connection', facts: {}, reason, words: 'Rollback: the function responded' },
  'rollback.reverting': { about: 'connection', facts: {}, reason, words: 'Rollback failed and is being undone' },
  'rollback.failed': {
    about: 'connection',
    facts: { cause, unchanged: 'boolean' },
    reason,
    change,
    words: 'Rollback failed',
  },
  'connection.rolled_back': {
    about: 'connection',
    facts: {},
    reason,
    change,
    words: 'Rolled back to the previous access',
  },

  'campaign.started': {
    about: 'campaign',
    facts: {
      cause,
      integrationId: optional('text'),
      members: 'number',
      remaining: 'number',
      accountCompared: optional('boolean'),
    },
    reason,
    words: 'Campaign started',
  },
  'campaign.cancelled': { about: 'campaign', facts: {}, reason, change, words: 'Campaign cancelled' },
} as const satisfies Record<string, ActionDescription>
