// Entries outlive the code, so a released action is never removed or renamed.

import { keyPurposes } from '../api-key.ts'
import { causeCodes } from '../cause.ts'
import { consoleRoles } from '../console.ts'
import { ifConnectedModes } from '../end-users/if-connected.ts'
import { failureCodes } from '../failure.ts'
import { linkStates } from '../link.ts'
import { type ActionDescription, optional } from './audit-facts.ts'
import { connectionActions } from './connection-actions.ts'
import { integrationActions } from './integration-actions.ts'

const cause = causeCodes
const detail = optional('text')
const flag = optional('boolean')
const reason = true
const change = true

const startRefusals = [
  'token_unknown',
  'token_withdrawn',
  'token_used',
  'token_expired',
  'consent_missing',
  ...causeCodes,
] as const

const callbackRefusals = [
  'state_malformed',
  'param_pollution',
  'not_navigation',
  'state_unknown',
  'state_expired',
  'context_mismatch',
  'no_browser_binding',
  'browser_mismatch',
  'integration_removed',
] as const

/** The time of the token response: see domain/linking/receipt.ts. */
const receivedAt = optional('text')

const steps = { receivedAt, functionMs: optional('number'), unrequestedScopes: optional('texts') } as const

export const auditActions = {
  'tenant.put': { about: 'tenant', facts: {}, reason, change, words: 'Tenant saved' },
  'tenant.suspended': { about: 'tenant', facts: {}, reason, change, words: 'Tenant suspended' },
  'tenant.reactivated': { about: 'tenant', facts: {}, reason, change, words: 'Tenant reactivated' },
  'tenant.exported': {
    about: 'tenant',
    // RFC 7638 thumbprint of the key that the grants were encrypted for.
    facts: { grants: optional('number'), keyThumbprint: optional('text') },
    words: 'Tenant exported',
  },
  'tenant.deletion_started': { about: 'tenant', facts: {}, reason, change, words: 'Tenant deletion started' },
  'tenant.sessions_cancelled': { about: 'tenant', facts: {}, words: 'Open connect sessions of the tenant cancelled' },
  'tenant.deleted': { about: 'tenant', facts: {}, change, words: 'Tenant deleted' },
  'tenant.signing_secret_rotated': {
    about: 'tenant',
    facts: { afterSeconds: 'number' },
    reason,
    change,
    words: 'Signing secret rotated',
  },
  'tenant.oauth_client_put': { about: 'oauth_client', facts: {}, reason, change, words: 'OAuth client saved' },
  'tenant.oauth_client_deleted': { about: 'oauth_client', facts: {}, reason, change, words: 'OAuth client deleted' },
  'tenant.logo_put': { about: 'tenant', facts: {}, reason, change, words: 'Logo saved' },
  'tenant.logo_deleted': { about: 'tenant', facts: {}, reason, change, words: 'Logo deleted' },
  'key.created': {
    about: 'api_key',
    facts: {
      name: 'text',
      testMode: flag,
      purpose: optional(keyPurposes),
      expiresAt: optional('text'),
    },
    reason,
    words: 'API key created',
  },
  'key.revoked': { about: 'api_key', facts: {}, reason, words: 'API key revoked' },
  'key.exposed': { about: 'api_key', facts: {}, words: 'API key sent in an address, where it counts as leaked' },
  'key.encryption_rotated': {
    about: 'deployment',
    facts: { rewrapped: 'counts', others: 'counts' },
    words: 'Encryption key rotated',
  },
  'authz.denied': {
    about: 'tenant',
    // Hidden from the tenant that owns the requested resource (console/flows/list-audit.ts).
    facts: { keyTenantId: optional('text') },
    words: 'Request by a key of another tenant rejected',
  },

  'event.triggered': {
    about: 'tenant',
    facts: { eventId: 'text', eventType: 'text' },
    words: 'Sample event triggered in test mode',
  },

  'session.minted': {
    about: 'connect_session',
    facts: {
      integrationId: optional('text'),
      choices: optional('texts'),
      ifConnected: optional(ifConnectedModes),
      scopes: optional('texts'),
    },
    words: 'Connect session created',
  },
  'session.cancelled': { about: 'connect_session', facts: {}, reason, change, words: 'Connect session cancelled' },
  'relink.minted': {
    about: 'connect_session',
    facts: {
      allowOtherAccount: 'boolean',
      scopes: optional('texts'),
      ttlSeconds: 'number',
      liveGrants: optional('number'),
      accountCompared: flag,
      following: optional(['manage_page', 'repair_page']),
    },
    reason,
    change,
    words: 'Reconnect link created',
  },
  'return_url.rejected': {
    about: 'tenant',
    facts: { refusal: ['not_registered', 'no_longer_registered'] },
    words: 'Return URL rejected',
  },
  'connect.rejected': {
    about: optional('connect_session'),
    facts: { refusal: startRefusals, detail },
    words: 'Start rejected',
  },
  'callback.rejected': { about: optional('link'), facts: { refusal: callbackRefusals }, words: 'Callback rejected' },
  'callback.replayed': { about: 'link', facts: {}, words: 'Callback received again' },
  'completion.rejected': {
    about: 'connect_session',
    facts: { refusal: failureCodes },
    words: 'Completion rejected',
  },

  'link.started': {
    about: 'link',
    facts: { client: ['shared', 'own'] },
    words: 'Opened by the user',
  },
  'link.imported': { about: 'link', facts: { importId: 'text' }, words: 'Access imported and sealed' },
  'link.authorizing': { about: 'link', facts: { receivedAt, cause }, words: 'Sent to the app for consent again' },
  'link.code_waiting': { about: 'link', facts: {}, words: 'Consent given, waiting for the tenant' },
  'link.exchanging': {
    about: 'link',
    facts: { following: ['callback', 'completion'] },
    words: 'Token requested',
  },
  'link.exchange_withdrawn': {
    about: 'link',
    facts: {},
    words: 'Token not requested, because Redis did not answer',
  },
  'link.escrowed': {
    about: 'link',
    facts: { cause: optional(cause), detail },
    words: 'Token response received and sealed',
  },
  'link.testing': { about: 'link', facts: { receivedAt, recognized: flag }, words: 'Testing the new access' },
  'link.tested': { about: 'link', facts: {}, words: 'New access works' },
  'link.connection_ready': {
    about: 'link',
    facts: { receivedAt, unrequestedScopes: optional('texts') },
    words: 'Connection created on the platform',
  },
  'link.function_ready': { about: 'link', facts: steps, words: 'Function created on the platform' },
  'link.verified': { about: 'link', facts: {}, words: 'The function responded over MCP' },
  'link.linked': {
    about: 'link',
    facts: {
      ...steps,
      verified: flag,
      recovered: flag,
      previousGrant: optional(['revoked', 'kept', 'forgotten', 'unknown']),
      accountCompared: flag,
      aliasTaken: flag,
    },
    change,
    words: 'Linked',
  },
  'link.rolling_back': { about: 'link', facts: { cause, detail }, words: 'Rolling back to the previous access' },
  'link.revoking': {
    about: 'link',
    facts: { receivedAt, cause: optional(cause) },
    words: 'Revoking access after a failure',
  },
  'link.needs_attention': {
    about: 'link',
    facts: {
      receivedAt,
      cause,
      detail,
      grant: optional(['refused', 'blocked', 'not_offered', 'client_gone', 'account_unknown']),
      stalled: flag,
    },
    words: 'Stopped, needs attention',
  },
  'link.cancelled': { about: 'link', facts: { cause }, words: 'Cancelled by the user' },
  'link.denied': { about: 'link', facts: { cause }, words: 'Denied by the user' },
  'link.abandoned': { about: 'link', facts: { cause }, words: 'Not completed' },
  'link.failed': {
    about: 'link',
    facts: {
      receivedAt,
      cause,
      detail,
      grant: optional(['revoked', 'not_offered', 'client_gone', 'shared', 'unrevoked']),
      stalled: flag,
    },
    words: 'Failed',
  },
  'link.exchange_unknown': { about: 'link', facts: { cause, detail }, words: 'No response to the token request' },
  'link.resumed': { about: 'link', facts: { from: linkStates }, reason, change, words: 'Resumed' },
  'link.ended': { about: 'link', facts: {}, reason, change, words: 'Ended by support' },
  'relink.account_mismatch': {
    about: 'link',
    facts: { receivedAt, grant: ['revoked', 'not_offered', 'client_gone', 'shared'] },
    words: 'Signed in with a different account',
  },

  'end_user.erasure_started': { about: 'erasure', facts: {}, reason, words: 'Erasure of an end user started' },
  'end_user.erased': { about: 'erasure', facts: {}, words: 'End user erased' },

  'import.created': { about: 'import', facts: {}, words: 'Import created' },
  'import.rows_added': { about: 'import', facts: { rows: 'number' }, words: 'Rows added to an import' },
  'import.cancelled': { about: 'import', facts: {}, words: 'Import cancelled' },
  ...connectionActions,
  'webhook.created': { about: 'webhook', facts: {}, reason, change, words: 'Webhook created' },
  'webhook.deleted': { about: 'webhook', facts: {}, reason, change, words: 'Webhook deleted' },
  'webhook.secret_rotated': { about: 'webhook', facts: {}, reason, change, words: 'Webhook secret rotated' },
  'webhook.enabled': { about: 'webhook', facts: {}, reason, change, words: 'Webhook enabled' },
  'webhook.disabled': {
    about: 'webhook',
    facts: { receiverGone: flag },
    reason,
    change,
    words: 'Webhook disabled',
  },
  'webhook.replayed': { about: 'webhook_delivery', facts: {}, reason, change, words: 'Webhook delivery sent again' },
  'webhook.failed_replayed': { about: 'webhook', facts: {}, reason, words: 'Failed webhook deliveries sent again' },
  'egress.blocked': {
    about: 'webhook',
    facts: { eventId: 'text' },
    words: 'Webhook delivery blocked: a private address',
  },

  'console.signed_in': {
    about: 'console_user',
    facts: { issuer: 'text', role: consoleRoles, again: 'boolean' },
    words: 'Signed in to the console',
  },
  'console.refused': { about: 'console_user', facts: { issuer: 'text' }, words: 'Sign-in rejected: no role' },
  'console.denied': {
    about: 'console_user',
    facts: { neededRole: consoleRoles },
    words: 'Action rejected: role missing',
  },
  'csrf.rejected': {
    about: optional('console_user'),
    facts: { refusal: ['token', 'origin'] },
    words: 'Form from another site rejected',
  },
  'console.signed_out_everywhere': {
    about: 'console_user',
    facts: { sessions: 'number' },
    words: 'Signed out everywhere',
  },
  ...integrationActions,
  'audit.exported': {
    about: 'deployment',
    facts: {
      format: ['csv'],
      actor: optional('text'),
      tenantId: optional('text'),
      action: optional('text'),
      connectionId: optional('text'),
      linkId: optional('text'),
      requestId: optional('text'),
      from: optional('text'),
      to: optional('text'),
    },
    words: 'Audit exported',
  },
  'list.exported': {
    about: 'deployment',
    facts: { list: ['connections', 'links'], format: ['csv'], tenantId: optional('text') },
    words: 'List exported',
  },
} as const satisfies Record<string, ActionDescription>

export type AuditAction = keyof typeof auditActions

export const auditActionNames = Object.keys(auditActions) as [AuditAction, ...AuditAction[]]
