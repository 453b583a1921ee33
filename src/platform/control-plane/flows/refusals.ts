import { Failure } from '../../shared/domain/failure.ts'
import type { Kind } from '../domain/kind.ts'
import type { Resources } from '../domain/ports.ts'
import type { Document, ResourceKey } from '../domain/resource.ts'

export type Refusals = ReturnType<typeof refusals>

type Needs = { resources: Pick<Resources, 'find' | 'holders' | 'hasChildren' | 'attachments'> }

/** Reasons in the state of the world not to create or delete. */
export const refusals = ({ resources }: Needs) => ({
  /** What lives inside another resource needs that resource. */
  async orphan({ parents = [] }: Kind, workspace: string, path: string): Promise<void> {
    const names = path.split('/')
    for (const [at, { kind }] of parents.entries()) {
      const key = { workspace, kind, parent: names.slice(0, at).join('/'), name: names[at] ?? '' }
      if (!(await resources.find(key))) throw new Failure('resource_unknown', `No ${kind} has this name.`)
    }
  },

  /** A volume is attached to one resource at a time. */
  async attached(kind: Kind, workspace: string, name: string, spec: Document): Promise<void> {
    const volumes = kind.attaches?.(spec) ?? []
    if (volumes.length === 0) return
    for (const [volume, holder] of await resources.attachments(workspace, volumes)) {
      if (holder === `${kind.name}:${name}`) continue
      throw new Failure('resource_in_use', `Volume ${volume} is attached to ${holder}.`)
    }
  },

  /** What others refer to stays until they are gone. */
  async held(kind: Kind, { workspace, parent, name }: ResourceKey): Promise<void> {
    const holders = kind.heldBy
      ? await resources.holders(workspace, kind.heldBy.kinds, kind.heldBy.reference(name))
      : []
    if (holders.length > 0) throw new Failure('resource_in_use', `It is in use by ${holders.join(', ')}.`)
    const path = parent ? `${parent}/${name}` : name
    if (kind.child && (await resources.hasChildren(workspace, kind.child, path))) {
      throw new Failure('resource_in_use', `There is still an ${kind.child} in it.`)
    }
  },
})
