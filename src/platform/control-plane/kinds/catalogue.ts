import {
  addressSecrets,
  IntegrationConnection,
  IntegrationConnectionInput,
} from '../../../contract/control-plane/integration-connection.ts'
import { Policy, PolicyInput } from '../../../contract/control-plane/policy.ts'
import { discoveredNames } from '../../../contract/integrations/discovered-server.ts'
import type { Kind } from '../domain/kind.ts'
import { pointer } from '../domain/masking.ts'
import { customDomain, egressGateway, egressIp, vpc } from './networking.ts'
import { preview, previewToken } from './previews.ts'
import { drive, volume, volumeTemplate } from './storage.ts'
import { agent, job, mcpFunction, model, sandbox } from './workloads.ts'

const policy: Kind = {
  name: 'policy',
  path: '/policies',
  param: 'policyName',
  scope: 'policies',
  listing: 'pages',
  input: PolicyInput,
  document: Policy,
  hasEvents: true,
  adminWrites: true,
}

const integrationConnection: Kind = {
  name: 'integrationconnection',
  path: '/integrations/connections',
  param: 'connectionName',
  scope: 'integrations',
  listing: 'array',
  input: IntegrationConnectionInput,
  document: IntegrationConnection,
  adminWrites: true,
  secrets: (spec) => Object.keys(spec.secret ?? {}).map((name) => ({ pointer: pointer('secret', name), owner: name })),
  // Inputs can only fill gaps with hosts of the provider. Discovered URLs and the URL of a model API, which is stored as
  // a secret, can be any host, so a new value counts as a change.
  secretsGoTo: ({ integration, config, secret }) => ({
    integration,
    discovered: Object.fromEntries(Object.entries(config ?? {}).filter(([name]) => discoveredNames.has(name))),
    addresses: Object.fromEntries(Object.entries(secret ?? {}).filter(([name]) => addressSecrets.includes(name))),
  }),
  referencedBy: { kinds: ['agent', 'function', 'model'], reference: (name) => ({ integrationConnections: [name] }) },
}

export const kinds: readonly Kind[] = [
  agent,
  customDomain,
  drive,
  egressGateway,
  egressIp,
  integrationConnection,
  job,
  mcpFunction,
  model,
  policy,
  preview,
  previewToken,
  sandbox,
  volume,
  volumeTemplate,
  vpc,
]

export const flatListings = [
  { path: '/egressgateways', kind: egressGateway },
  { path: '/egressips', kind: egressIp },
] as const
