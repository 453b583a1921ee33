import { Failure } from '../../shared/domain/failure.ts'
import { walk } from '../domain/deployment.ts'
import type { Kind } from '../domain/kind.ts'
import type { Resources } from '../domain/ports.ts'
import type { Resource, ResourceKey } from '../domain/resource.ts'

export type DeleteResource = ReturnType<typeof deleteResource>

type Needs = { resources: Pick<Resources, 'remove' | 'holders'>; now: () => Date }

/** Answers the resource as it was, on its way out. */
export const deleteResource =
  ({ resources, now }: Needs) =>
  async (kind: Kind, key: ResourceKey): Promise<Resource> => {
    await refuseHeld(resources, kind, key)
    const removed = await resources.remove(key, () => {})
    if (!removed) throw new Failure('resource_unknown', `No ${kind.name} has this name.`)
    return kind.deploys ? { ...removed, ...walk(removed.events, 'DELETING', 'Deletion started.', now()) } : removed
  }

async function refuseHeld(resources: Pick<Resources, 'holders'>, kind: Kind, { workspace, name }: ResourceKey) {
  if (!kind.heldBy) return
  const holders = await resources.holders(workspace, kind.heldBy.kinds, kind.heldBy.member, name)
  if (holders.length > 0) throw new Failure('resource_in_use', `It is in use by ${holders.join(', ')}.`)
}
