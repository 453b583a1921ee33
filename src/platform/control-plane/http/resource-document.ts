import type { Kind } from '../domain/kind.ts'
import type { Resource } from '../domain/resource.ts'

/** A resource as callers see it at the newest date. */
export function resourceDocument(kind: Kind, resource: Resource, gatewayUrl: string) {
  const { workspace, name, displayName, labels, createdAt, updatedAt, createdBy, updatedBy } = resource
  return {
    metadata: {
      name,
      displayName,
      labels,
      workspace,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
      createdBy,
      updatedBy,
      ...(kind.deploys && { plan: 'local', url: `${gatewayUrl}/${workspace}${kind.path}/${name}` }),
    },
    spec: resource.spec,
    ...(resource.status !== null && { events: resource.events, status: resource.status }),
    ...kind.extras?.(resource),
  }
}
