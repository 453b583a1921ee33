import type { Resources } from '../domain/ports.ts'

export type ResourceChange = { kind: string; removed: boolean }

/** Tells those who remember resources, or keep something for them, what was written here. */
export type ResourceChanges = {
  tell(change: ResourceChange): void
  listen(listener: (change: ResourceChange) => void): void
}

export function resourceChanges(): ResourceChanges {
  const listeners: Array<(change: ResourceChange) => void> = []
  return {
    tell: (change) => listeners.forEach((listener) => void listener(change)),
    listen: (listener) => void listeners.push(listener),
  }
}

/** After the store has it, so that whoever forgets and reads again reads the new one. */
export const noticed = (resources: Resources, tell: ResourceChanges['tell']): Resources => ({
  ...resources,
  async change(key, decide, by) {
    const changed = await resources.change(key, decide, by)
    tell({ kind: key.kind, removed: false })
    return changed
  },
  async remove(key, by) {
    const removed = await resources.remove(key, by)
    tell({ kind: key.kind, removed: true })
    return removed
  },
})
