import type { Kind } from '../domain/kind.ts'
import type { Resources } from '../domain/ports.ts'
import type { Resource } from '../domain/resource.ts'

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
