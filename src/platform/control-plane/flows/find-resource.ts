import { Failure } from '../../shared/domain/failure.ts'
import type { Kind } from '../domain/kind.ts'
import { unmask } from '../domain/masking.ts'
import type { Resources, Vault } from '../domain/ports.ts'
import type { Resource, ResourceKey } from '../domain/resource.ts'
import { openSecrets } from '../domain/secrets.ts'

export type FindResource = ReturnType<typeof findResource>

type Needs = { resources: Pick<Resources, 'find'>; vault: Vault; withAttachments: WithAttachments }

export const findResource = ({ resources, vault, withAttachments }: Needs) => {
  const find = async (kind: Kind, key: ResourceKey): Promise<Resource> => {
    const found = await resources.find(key)
    if (!found) throw new Failure('resource_unknown', `No ${kind.name} has this name.`)
    const [described] = await withAttachments(kind, key.workspace, [found])
    return described ?? found
  }
  return {
    masked: find,
    async withSecrets(kind: Kind, key: ResourceKey): Promise<Resource> {
      const found = await find(kind, key)
      return { ...found, spec: unmask(found.spec, openSecrets(vault, found)) }
    },
  }
}

export type WithAttachments = <R extends Resource>(kind: Kind, workspace: string, found: R[]) => Promise<R[]>

/** Where a volume is attached is no part of it: the store keeps that with the sandboxes, in the same step. */
export const withAttachments =
  ({ resources }: { resources: Pick<Resources, 'attachments'> }): WithAttachments =>
  async (kind, workspace, found) => {
    if (!kind.attachable || found.length === 0) return found
    const names = found.map(({ name }) => name)
    const attachedTo = await resources.attachments(workspace, names)
    return found.map((resource) => ({ ...resource, state: { attachedTo: attachedTo.get(resource.name) ?? '' } }))
  }
