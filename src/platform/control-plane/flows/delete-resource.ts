import { actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { deploymentStep } from '../domain/deployment.ts'
import type { Kind } from '../domain/kind.ts'
import type { Resources } from '../domain/ports.ts'
import type { Resource, ResourceKey } from '../domain/resource.ts'
import type { ResourceAssertions } from './resource-assertions.ts'

export type DeleteResource = ReturnType<typeof deleteResource>

type Needs = {
  resources: Pick<Resources, 'remove'>
  assert: Pick<ResourceAssertions, 'notReferenced'>
  now: () => Date
}

/** Answers the resource as it was, on its way out: being deleted is the last change to it. */
export const deleteResource =
  ({ resources, assert, now }: Needs) =>
  async (kind: Kind, { caller }: Member, key: ResourceKey): Promise<Resource> => {
    await assert.notReferenced(kind, key)
    const removed = await resources.remove(key, actorOf(caller))
    if (!removed) throw new Failure('resource_unknown', `No ${kind.name} has this name.`)
    const changed = { ...removed, updatedAt: now(), updatedBy: caller.label }
    return kind.deploys
      ? { ...changed, ...deploymentStep(removed.events, 'DELETING', 'Deletion started.', now()) }
      : changed
  }
