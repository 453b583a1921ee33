import type { Kind } from '../domain/kind.ts'
import type { Document, Resource } from '../domain/resource.ts'

export type Show = (kind: Kind, resource: Resource) => Document

export type Addresses = { gatewayUrl: string; baseUrl: string }

/** A resource as callers see it at the newest date. */
export function resourceDocument(kind: Kind, resource: Resource, addresses: Addresses): Document {
  const { name, displayName, labels, workspace, createdAt, updatedAt, createdBy, updatedBy } = resource
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
      ...(kind.deploys && { plan: 'local', url: addressOf(kind, resource, addresses) }),
      ...kind.extraMetadata?.(resource),
    },
    spec: resource.spec,
    ...(resource.status !== null && { events: resource.events, status: resource.status }),
    ...(kind.attachable && { state: { attachedTo: resource.state.attachedTo ?? '' } }),
    ...kind.extras?.(resource),
  }
}

/** A workload is called at the gateway; what is not called is read where it is managed. */
function addressOf({ deploys, path }: Kind, { workspace, parent, name }: Resource, { gatewayUrl, baseUrl }: Addresses) {
  const parents = parent.split('/')
  const filled = path.replace(/:[A-Za-z]+/g, () => parents.shift() ?? '')
  return deploys === 'walks' ? `${gatewayUrl}/${workspace}${filled}/${name}` : `${baseUrl}${filled}/${name}`
}
