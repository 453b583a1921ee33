import { Failure } from '../../shared/domain/failure.ts'
import type { Kind } from '../domain/kind.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { Document, ResourceKey } from '../domain/resource.ts'

export async function assertParentsExist(
  { resources }: ControlPlanePorts,
  { parents = [] }: Kind,
  workspace: string,
  path: string,
): Promise<void> {
  const names = path.split('/')
  for (const [at, { kind }] of parents.entries()) {
    const key = { workspace, kind, parent: names.slice(0, at).join('/'), name: names[at] ?? '' }
    if (!(await resources.find(key))) throw new Failure('resource_unknown', `No ${kind} has this name.`)
  }
}

export async function assertVolumesFree(
  { resources }: ControlPlanePorts,
  kind: Kind,
  workspace: string,
  name: string,
  spec: Document,
): Promise<void> {
  const volumes = kind.attaches?.(spec) ?? []
  if (volumes.length === 0) return
  for (const [volume, holder] of await resources.attachments(workspace, volumes)) {
    if (holder === `${kind.name}:${name}`) continue
    throw new Failure('resource_in_use', `Volume ${volume} is attached to ${holder}.`)
  }
}

export async function assertNotReferenced(
  { resources }: ControlPlanePorts,
  kind: Kind,
  { workspace, parent, name }: ResourceKey,
): Promise<void> {
  const referrers = kind.referencedBy
    ? await resources.referencesTo(workspace, kind.referencedBy.kinds, kind.referencedBy.reference(name))
    : []
  if (referrers.length > 0) throw new Failure('resource_in_use', `It is in use by ${referrers.join(', ')}.`)
  const path = parent ? `${parent}/${name}` : name
  if (kind.child && (await resources.hasChildren(workspace, kind.child, path))) {
    throw new Failure('resource_in_use', `It still contains an ${kind.child}.`)
  }
}
