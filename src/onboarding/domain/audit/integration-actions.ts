import { clientOrigins } from '../mcp/registered-client.ts'
import { type ActionDescription, optional } from './audit-facts.ts'

const reason = true

export const integrationActions = {
  'oauth_client.registered': {
    about: 'oauth_client',
    facts: { issuer: 'text', clientId: 'text', registeredBy: clientOrigins },
    words: 'OAuth client of this server registered at the app',
  },
  'oauth_client.forgotten': {
    about: 'oauth_client',
    facts: { issuer: 'text', clientId: 'text' },
    words: 'The app no longer knows the OAuth client it registered',
  },
  'integration.examined': {
    about: 'deployment',
    facts: { integrationId: 'text', tenantId: optional('text'), wrongChecks: 'texts' },
    reason,
    words: 'Integration examined: the app was asked',
  },
  'integration.settings_put': {
    about: 'deployment',
    facts: { integrationId: 'text', version: optional('number'), changedMembers: 'texts' },
    reason,
    words: 'Settings of an integration saved',
  },
  'integration.settings_removed': {
    about: 'deployment',
    facts: { integrationId: 'text', version: optional('number') },
    reason,
    words: 'Settings of an integration removed',
  },
  'integration.settings_rolled_back': {
    about: 'deployment',
    facts: { integrationId: 'text', version: optional('number'), restoredVersion: 'number', changedMembers: 'texts' },
    reason,
    words: 'Settings of an integration rolled back',
  },
  'tenant.tool_policy_put': {
    about: 'tenant',
    facts: { version: optional('number'), restoredVersion: optional('number'), changedMembers: 'texts' },
    reason,
    words: 'Tool policy saved',
  },
  'tenant.tool_policy_removed': {
    about: 'tenant',
    facts: { version: optional('number'), restoredVersion: optional('number') },
    reason,
    words: 'Tool policy removed',
  },
  'connection.tool_policy_put': {
    about: 'connection',
    facts: {
      version: optional('number'),
      restoredVersion: optional('number'),
      client: optional('text'),
      changedMembers: 'texts',
    },
    reason,
    words: 'Tool policy saved',
  },
  'connection.tool_policy_removed': {
    about: 'connection',
    facts: { version: optional('number'), restoredVersion: optional('number'), client: optional('text') },
    reason,
    words: 'Tool policy removed',
  },
} as const satisfies Record<string, ActionDescription>
