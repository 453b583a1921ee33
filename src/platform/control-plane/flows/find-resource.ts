import { Failure } from '../../shared/domain/failure.ts'
import type { Kind } from '../domain/kind.ts'
import type { Resources } from '../domain/ports.ts'
import type { Resource, ResourceKey } from '../domain/resource.ts'

export type FindResource = ReturnType<typeof findResource>

export const findResource =
  ({ resources }: { resources: Pick<Resources, 'find'> }) =>
  async (kind: Kind, key: ResourceKey): Promise<Resource> => {
    const found = await resources.find(key)
    if (!found) throw new Failure('resource_unknown', `No ${kind.name} has this name.`)
    return found
  }
