import { z } from 'zod'
import type { IntegrationConnectionInput } from '../../../../contract/control-plane/integration-connection.ts'
import { McpFunction, type McpFunctionInput, toolPrefixLabel } from '../../../../contract/control-plane/workloads.ts'
import { Metadata } from '../../../../contract/resource.ts'
import { ownershipLabel } from '../../../domain/connection.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import { toolPrefixOf } from '../../../domain/linking/connection-names.ts'
import type { NoGrant, PlatformGrant, Provisioning } from '../../../domain/ports/platform.ts'

export const paths = { connections: '/integrations/connections', functions: '/functions' }

type NameOf = (integration: string) => string

/** Undefined if the platform may reject a member that it does not know. */
type RepairUrlOf = ((connectionId: string) => string) | undefined

export type Words = { nameOf: NameOf; repairUrlOf?: RepairUrlOf }

export const connectionDocument = (
  at: Provisioning,
  grant: PlatformGrant | NoGrant,
  { nameOf, repairUrlOf }: Words,
): IntegrationConnectionInput => ({
  metadata: metadataOf(at.connectionName, at, nameOf),
  spec: {
    integration: at.integration,
    // Omitted if empty: another platform may not know the member.
    ...(Object.keys(grant.config ?? {}).length > 0 && { config: { ...grant.config } }),
    ...(repairUrlOf && { repairUrl: repairUrlOf(at.connectionId) }),
    secret: grant.client ? secretsOf(grant) : {},
  },
})

const secretsOf = ({ client, refreshToken, accessToken }: PlatformGrant) => ({
  CLIENT_ID: client.id,
  CLIENT_SECRET: client.secret?.reveal() ?? '',
  ...(refreshToken ? { REFRESH_TOKEN: refreshToken.reveal() } : { ACCESS_TOKEN: accessToken.reveal() }),
})

export const functionDocument = (at: Provisioning, { nameOf }: Words): McpFunctionInput => ({
  metadata: withPrefix(metadataOf(at.functionName, at, nameOf), toolPrefixOf(at)),
  spec: { type: 'mcp', integrationConnections: [at.connectionName], runtime: { type: 'mcp' } },
})

const withPrefix = <M extends { labels: Record<string, string> }>(metadata: M, prefix: string | undefined): M =>
  prefix === undefined ? metadata : { ...metadata, labels: { ...metadata.labels, [toolPrefixLabel]: prefix } }

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
