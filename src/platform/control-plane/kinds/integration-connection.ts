import {
  IntegrationConnection,
  IntegrationConnectionInput,
} from '../../../contract/control-plane/integration-connection.ts'
import type { Kind } from '../domain/kind.ts'
import { pointer } from '../domain/masking.ts'

export const integrationConnection: Kind = {
  name: 'integrationconnection',
  path: '/integrations/connections',
  param: 'connectionName',
  scope: 'integrations',
  listing: 'array',
  input: IntegrationConnectionInput,
  document: IntegrationConnection,
  adminWrites: true,
  secrets: (spec) => Object.keys(spec.secret ?? {}).map((name) => ({ pointer: pointer('secret', name), owner: name })),
  referencedBy: { kinds: ['agent', 'function', 'model'], reference: (name) => ({ integrationConnections: [name] }) },
}
