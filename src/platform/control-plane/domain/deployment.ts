import type { CoreEvent, DeploymentStatus } from '../../../contract/resource.ts'
import type { Kind } from './kind.ts'
import type { Document, Resource } from './resource.ts'

type Walk = Pick<Resource, 'status' | 'events'>

/** More would only slow every read of the resource down. */
const keptEvents = 50

/** Something to tell the owner that changes no status. */
export function withEvent({ status, events }: Walk, type: string, message: string, now: Date): CoreEvent[] {
  const event = { type, status: status ?? '', message, time: now.toISOString(), revision: '', canaryRevision: '' }
  return [...events, event].slice(-keptEvents)
}

/** The status and the event that says so, which never part. */
export function walk(events: readonly CoreEvent[], status: DeploymentStatus, message: string, now: Date): Walk {
  const event = { type: 'deployment', status, message, time: now.toISOString(), revision: '', canaryRevision: '' }
  return { status, events: [...events, event].slice(-keptEvents) }
}

/** How a new resource begins. */
export function firstStep(kind: Kind, spec: Document, blockers: readonly string[], now: Date): Walk {
  if (kind.deploys === 'walks') return startWalk([], spec.enabled !== false, now)
  if (kind.deploys === 'at once') return ended([], blockers, `The ${kind.name} is ready.`, now)
  return { status: null, events: [] }
}

/** The first step after a create or an update. */
export function startWalk(events: readonly CoreEvent[], enabled: boolean, now: Date): Walk {
  return enabled
    ? walk(events, 'DEPLOYING', 'Deployment started.', now)
    : walk(events, 'DEACTIVATING', 'Deactivation started.', now)
}

/** What runs is told what will not work all the same; one that does not run has its reason, and that is enough. */
export function warned(ended: Walk, warnings: readonly string[], now: Date): Walk {
  if (ended.status !== 'DEPLOYED') return ended
  const add = (events: CoreEvent[], message: string) => withEvent({ ...ended, events }, 'callback', message, now)
  return { ...ended, events: warnings.reduce(add, ended.events) }
}

/** The step that ends a walk: nothing is wrong, or `blockers` says what is. */
export function endWalk({ kind, status, events }: Resource, blockers: readonly string[], now: Date): Walk {
  if (status === 'DEACTIVATING') return walk(events, 'DEACTIVATED', 'The workload takes no requests.', now)
  return ended(events, blockers, kind === 'volume' ? 'The volume is ready.' : 'The workload takes requests.', now)
}

const ended = (events: readonly CoreEvent[], blockers: readonly string[], ready: string, now: Date): Walk =>
  blockers.length > 0 ? walk(events, 'FAILED', blockers.join(' '), now) : walk(events, 'DEPLOYED', ready, now)
