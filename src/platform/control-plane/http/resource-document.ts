import type { DocumentNeeds, Kind } from '../domain/kind.ts'
import { locations } from '../domain/offers.ts'
import type { Document, Resource } from '../domain/resource.ts'

export type Show = (kind: Kind, resource: Resource) => Document

type Addresses = DocumentNeeds & { api: string; inference: string; sandboxDomain: string | undefined }

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
    spec: { ...resource.spec, ...kind.extraSpec?.(resource, addresses) },
    ...((resource.status !== null || kind.hasEvents || kind.noEffect) && { events: resource.events }),
    ...(resource.status !== null && { status: resource.status }),
    ...(kind.attachable && { state: { attachedTo: resource.state.attachedTo ?? '' } }),
    ...kind.extras?.(resource),
  }
}

function addressOf(kind: Kind, resource: Resource, { api, inference, sandboxDomain }: Addresses): string {
  const parents = resource.parent.split('/')
  const path = `${kind.path.replace(/\{\w+\}/g, () => parents.shift() ?? '')}/${resource.name}`
  if (kind.deploys !== 'async') return `${api}/v0${path}`
  const own = kind.ownHost && sandboxDomain !== undefined && hostOf(resource, sandboxDomain)
  if (own) return Object.assign(new URL(inference), { hostname: own }).origin
  return `${kind.startedAtApi ? api : inference}/${resource.workspace}${path}`
}

/** Returns undefined if the label is too long for a host name (RFC 1035 §2.3.4). */
function hostOf({ name, workspace }: Resource, domain: string): string | undefined {
  const label = `sbx-${name}-${workspace}`
  return label.length > 63 ? undefined : `${label}.${locations[0]?.name}.${domain}`
}
