import type { MetadataInput } from '../../../contract/resource.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { startWalk } from '../domain/deployment.ts'
import { refuseChanges } from '../domain/immutable.ts'
import type { Kind } from '../domain/kind.ts'
import type { Resources, Vault } from '../domain/ports.ts'
import type { Document, Resource, ResourceKey } from '../domain/resource.ts'
import { openSecrets, sealSpec } from '../domain/secrets.ts'
import type { Settle } from './settle-deployment.ts'

export type UpdateResource = ReturnType<typeof updateResource>

type Needs = { resources: Pick<Resources, 'change'>; vault: Vault; settle: Settle; now: () => Date }
type Input = { metadata: MetadataInput; spec: Document }

export const updateResource =
  ({ resources, vault, settle, now }: Needs) =>
  async (kind: Kind, { caller }: Member, key: ResourceKey, input: Input): Promise<Resource> => {
    const changed = await resources.change(key, (current) => updated(vault, kind, current, input, caller.label, now()))
    if (!changed) throw new Failure('resource_unknown', `No ${kind.name} has this name.`)
    if (kind.deploys) settle.soon(changed)
    return changed
  }

function updated(vault: Vault, kind: Kind, current: Resource, input: Input, by: string, now: Date): Resource {
  refuseChanges(kind, current, input)
  return {
    ...current,
    displayName: input.metadata.displayName ?? current.displayName,
    labels: input.metadata.labels ?? current.labels,
    ...sealSpec(vault, kind, current, input.spec, openSecrets(vault, current)),
    ...(kind.deploys && startWalk(current.events, input.spec.enabled !== false, now)),
    version: current.version + 1,
    updatedAt: now,
    updatedBy: by,
  }
}
