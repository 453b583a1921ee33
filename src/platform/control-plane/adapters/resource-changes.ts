import type { Resources } from '../domain/ports.ts'
import type { Workspaces } from '../domain/workspace.ts'

type ResourceChange = { kind: string; removed: boolean }

/** Reports every write of this process, for caches and for data stored next to resources. */
type ResourceChanges = {
  emit(change: ResourceChange): void
  listen(listener: (change: ResourceChange) => void): void
}

export function resourceChanges(): ResourceChanges {
  const listeners: Array<(change: ResourceChange) => void> = []
  return {
    emit: (change) => listeners.forEach((listener) => void listener(change)),
    listen: (listener) => void listeners.push(listener),
  }
}

/** Emits after the write, so that a listener reads the new state. */
export const withChangeEvents = (resources: Resources, emit: ResourceChanges['emit']): Resources => ({
  ...resources,
  async change(key, decide, by) {
    const changed = await resources.change(key, decide, by)
    emit({ kind: key.kind, removed: false })
    return changed
  },
  async remove(key, by) {
    const removed = await resources.remove(key, by)
    emit({ kind: key.kind, removed: true })
    return removed
  },
  async removeExpired(key, by) {
    const removed = await resources.removeExpired(key, by)
    emit({ kind: key.kind, removed: true })
    return removed
  },
})

export const withRemovalEvents = (workspaces: Workspaces, emit: ResourceChanges['emit']): Workspaces => ({
  ...workspaces,
  async remove(name, by) {
    const removed = await workspaces.remove(name, by)
    emit({ kind: 'workspace', removed: true })
    return removed
  },
})
