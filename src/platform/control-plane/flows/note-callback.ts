import { withEvent } from '../domain/deployment.ts'
import type { Resources } from '../domain/ports.ts'
import type { Resource } from '../domain/resource.ts'

type Needs = { resources: Pick<Resources, 'find' | 'change'>; now: () => Date }

const dayMs = 24 * 60 * 60_000

/**
 * Adds an event that a callback was given up, for the owner. The same message is added once a day, and again after the
 * next deployment: a workload keeps few events, and thousands of callbacks may fail for one reason.
 */
export const noteCallback =
  ({ resources, now }: Needs, kind: 'agent' | 'job') =>
  async (workspace: string, name: string, message: string): Promise<void> => {
    const key = { workspace, kind, parent: '', name }
    const known = await resources.find(key)
    if (!known || isNoted(known, message, now())) return
    // Asked again under the lock: many callbacks are given up at once.
    await resources.change(key, (current) =>
      isNoted(current, message, now())
        ? current
        : { ...current, events: withEvent(current, { type: 'callback', message }, now()) },
    )
  }

function isNoted({ events }: Resource, message: string, now: Date): boolean {
  const sinceDeployment = events.slice(events.findLastIndex(({ type }) => type === 'deployment') + 1)
  return sinceDeployment.some((event) => event.message === message && Date.parse(event.time) > now.getTime() - dayMs)
}
