// What we write to the platform, and the few members of its answers that we read.
import { z } from 'zod'
import type { IntegrationConnectionInput } from '../../../../contract/control-plane/integration-connection.ts'
import { McpFunction, type McpFunctionInput } from '../../../../contract/control-plane/workloads.ts'
import { Metadata } from '../../../../contract/resource.ts'
import { ownershipLabel } from '../../../domain/connection.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { PlatformGrant, Provisioning } from '../../../domain/ports/platform.ts'

export const paths = { connections: '/integrations/connections', functions: '/functions' }

/** What people call an integration. */
export type NameOf = (integration: string) => string

export const connectionDocument = (
  at: Provisioning,
  { client, refreshToken, accessToken, config = {} }: PlatformGrant,
  nameOf: NameOf,
): IntegrationConnectionInput => ({
  metadata: metadataOf(at.connectionName, at, nameOf),
  spec: {
    integration: at.integration,
    // Left out where there is none: another platform may not know the member.
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

/** End users read the display name where they sign in to a function: it is the one that they know the app by. */
const metadataOf = (name: string, at: Provisioning, nameOf: NameOf) => ({
  name,
  displayName: nameOf(at.integration),
  labels: { [ownershipLabel]: at.connectionId },
})

// Only what is read of the contract's documents: another platform may leave out or write otherwise whatever else.
const Labelled = z.object({ metadata: Metadata.pick({ labels: true }) })
const Addressed = z.object({ metadata: McpFunction.shape.metadata.pick({ url: true }) })

export const isOurs = (body: unknown, at: Provisioning): boolean =>
  Labelled.safeParse(body).data?.metadata.labels[ownershipLabel] === at.connectionId

export function functionUrlOf(body: unknown): { url: string } {
  const url = Addressed.safeParse(body).data?.metadata.url
  if (!url) throw new DependencyError('function_failed', { detail: 'no address' })
  return { url }
}
