import { IntegrationConnectionInput } from '../../../contract/control-plane/integration-connection.ts'
import type { Kind } from '../domain/kind.ts'
import { pointer } from '../domain/masking.ts'

export const integrationConnection: Kind = {
  name: 'integrationconnection',
  path: '/integrations/connections',
  scope: 'integrations',
  listing: 'array',
  spec: IntegrationConnectionInput.shape.spec,
  adminWrites: true,
  secrets: (spec) => Object.keys(spec.secret ?? {}).map((name) => pointer('secret', name)),
  heldBy: { kinds: ['function', 'model'], member: 'integrationConnections' },
}
