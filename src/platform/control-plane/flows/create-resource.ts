import { randomUUID } from 'node:crypto'
import type { MetadataInput } from '../../../contract/resource.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { startWalk } from '../domain/deployment.ts'
import type { Kind } from '../domain/kind.ts'
import type { Resources, Vault } from '../domain/ports.ts'
import type { Document, Resource } from '../domain/resource.ts'
import { sealSpec } from '../domain/secrets.ts'
import type { Settle } from './settle-deployment.ts'

export type CreateResource = ReturnType<typeof createResource>

type Needs = { resources: Pick<Resources, 'add'>; vault: Vault; settle: Settle; now: () => Date }

export const createResource =
  ({ resources, vault, settle, now }: Needs) =>
  async (kind: Kind, member: Member, parent: string, input: { metadata: MetadataInput; spec: Document }) => {
    const resource = newResource(vault, kind, member, parent, input, now())
    await resources.add(resource)
    if (kind.deploys) settle.soon(resource)
    return resource
  }

function newResource(
  vault: Vault,
  kind: Kind,
  { caller, workspace }: Member,
  parent: string,
  { metadata, spec }: { metadata: MetadataInput; spec: Document },
  now: Date,
): Resource {
  const id = randomUUID()
  return {
    id,
    workspace,
    kind: kind.name,
    parent,
    name: metadata.name,
    displayName: metadata.displayName ?? metadata.name,
    labels: metadata.labels ?? {},
    ...sealSpec(vault, kind, { id, workspace }, spec),
    state: {},
    ...(kind.deploys ? startWalk([], spec.enabled !== false, now) : { status: null, events: [] }),
    version: 1,
    createdAt: now,
    updatedAt: now,
    createdBy: caller.label,
    updatedBy: caller.label,
  }
}
