import { z } from 'zod'
import type { IntegrationConnectionInput } from '../../../../contract/control-plane/integration-connection.ts'
import { McpFunction, type McpFunctionInput } from '../../../../contract/control-plane/workloads.ts'
import { Metadata } from '../../../../contract/resource.ts'
import { ownershipLabel } from '../../../domain/connection.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { PlatformGrant, Provisioning } from '../../../domain/ports/platform.ts'

export const paths = { connections: '/integrations/connections', functions: '/functions' }

export type NameOf = (integration: string) => string

export const connectionDocument = (
  at: Provisioning,
  { client, refreshToken, accessToken, config = {} }: PlatformGrant,
  nameOf: NameOf,
): IntegrationConnectionInput => ({
  metadata: metadataOf(at.connectionName, at, nameOf),
  spec: {
    integration: at.integration,
    // Omitted if empty: another platform may not know the member.
    ...(Object.keys(config).length > 0 && { config: { ...config } }),
    secret: {
      CLIENT_ID: client.id,
      CLIENT_SECRET: client.secret?.reveal() ?? '',
      ...(refreshToken ? { REFRESH_TOKEN: refreshToken.reveal() } : { ACCESS_TOKEN: accessToken.reveal() }),
    },
  },
})

export const functionDocument = (at: Provisioning, nameOf: NameOf): McpFunctionInput => ({
  metadata: metadataOf(at.functionName, at, nameOf),
  spec: { type: 'mcp', integrationConnections: [at.connectionName], runtime: { type: 'mcp' } },
})

const metadataOf = (name: string, at: Provisioning, nameOf: NameOf) => ({
  name,
  displayName: nameOf(at.integration),
  labels: { [ownershipLabel]: at.connectionId },
})

const Labelled = z.object({ metadata: Metadata.pick({ labels: true }) })
const Addressed = z.object({ metadata: McpFunction.shape.metadata.pick({ url: true }) })

export const isOurs = (body: unknown, at: Provisioning): boolean =>
  Labelled.safeParse(body).data?.metadata.labels[ownershipLabel] === at.connectionId

export function functionUrlOf(body: unknown): { url: string } {
  const url = Addressed.safeParse(body).data?.metadata.url
  if (!url) throw new DependencyError('function_failed', { detail: 'no address' })
  return { url }
}
