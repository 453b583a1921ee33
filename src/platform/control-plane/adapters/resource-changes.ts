import type { Resources } from '../domain/ports.ts'

/** Tells those who remember resources for a moment that one of this kind was written here. */
export type ResourceChanges = { tell(kind: string): void; listen(listener: (kind: string) => void): void }

export function resourceChanges(): ResourceChanges {
  const listeners: Array<(kind: string) => void> = []
  return {
    tell: (kind) => listeners.forEach((listener) => void listener(kind)),
    listen: (listener) => void listeners.push(listener),
  }
}

/** After the store has it, so that whoever forgets and reads again reads the new one. */
export const noticed = (resources: Resources, tell: ResourceChanges['tell']): Resources => ({
  ...resources,
  async change(key, decide, by) {
    const changed = await resources.change(key, decide, by)
    tell(key.kind)
    return changed
  },
  async remove(key, by) {
    const removed = await resources.remove(key, by)
    tell(key.kind)
    return removed
  },
})
