/** `<resource>:<action>`, as listed in the interface document. */
const documentedScopes = {
  agents: ['create', 'delete', 'get', 'list', 'update'],
  apiKey: ['list', 'write'],
  configurations: ['list'],
  customdomains: ['create', 'delete', 'get', 'list', 'update'],
  functions: ['create', 'delete', 'get', 'list', 'update'],
  integrations: ['create', 'list'],
  invitations: ['list'],
  jobs: ['create', 'delete', 'get', 'list', 'update'],
  locations: ['list'],
  mcphub: ['list'],
  models: ['create', 'delete', 'get', 'list', 'update'],
  policies: ['create', 'delete', 'get', 'list', 'update'],
  sandboxes: ['control', 'create', 'delete', 'get', 'list', 'update'],
  sandboxhub: ['list'],
  templates: ['get', 'list'],
  volumeTemplates: ['create', 'delete', 'get', 'list', 'upsert'],
  volumes: ['create', 'delete', 'get', 'list'],
  workspaces: ['accept', 'create', 'decline', 'delete', 'get', 'invite', 'leave', 'list', 'remove', 'update'],
} as const

const extensionScopes = {
  accounts: ['get', 'list', 'update'],
  audit: ['list'],
  drives: ['create', 'delete', 'get', 'list', 'update'],
  egressgateways: ['create', 'delete', 'get', 'list', 'update'],
  egressips: ['create', 'delete', 'get', 'list', 'update'],
  integrations: ['delete', 'get', 'update'],
  serviceAccounts: ['create', 'delete', 'get', 'list', 'update'],
  volumes: ['update'],
  vpcs: ['create', 'delete', 'get', 'list', 'update'],
} as const

const spelled = (table: Record<string, readonly string[]>): string[] =>
  Object.entries(table).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))

export const adminScope = 'admin'

export const allScopes: readonly string[] = [adminScope, ...spelled(documentedScopes), ...spelled(extensionScopes)]
