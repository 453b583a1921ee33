import type { CoreEvent, DeploymentStatus } from '../../../contract/resource.ts'
import type { Kind } from './kind.ts'
import type { Document, Resource } from './resource.ts'

type DeploymentStep = Pick<Resource, 'status' | 'events'>

/** On the way to another status, which it reaches by itself. */
export const statusesInMotion = ['DEPLOYING', 'DEACTIVATING'] as const satisfies DeploymentStatus[]

export const isInMotion = ({ status }: Pick<Resource, 'status'>): boolean =>
  (statusesInMotion as ReadonlyArray<Resource['status']>).includes(status)

/** More would only slow every read of the resource down. */
const keptEvents = 50

/** Something to tell the owner that changes no status. */
export function withEvent({ status, events }: DeploymentStep, news: EventNews, now: Date): CoreEvent[] {
  const event = { status: status ?? '', time: now.toISOString(), revision: '', canaryRevision: '', ...news }
  return [...events, event].slice(-keptEvents)
}

type EventNews = Pick<CoreEvent, 'type' | 'message' | 'code' | 'connection' | 'secretsVersion' | 'toolListHash'>

/** A status together with the event that reports it. */
export function deploymentStep(
  events: readonly CoreEvent[],
  status: DeploymentStatus,
  message: string,
  now: Date,
): DeploymentStep {
  const event = { type: 'deployment', status, message, time: now.toISOString(), revision: '', canaryRevision: '' }
  return { status, events: [...events, event].slice(-keptEvents) }
}

/** How a new resource begins. */
export function firstStep(kind: Kind, spec: Document, blockers: readonly string[], now: Date): DeploymentStep {
  if (kind.deploys === 'async') return startDeployment([], spec.enabled !== false, now)
  if (kind.deploys === 'at once') return deploymentEnd([], blockers, `The ${kind.name} is ready.`, now)
  return { status: null, events: [] }
}

/** The first step after a create or an update. */
export function startDeployment(events: readonly CoreEvent[], enabled: boolean, now: Date): DeploymentStep {
  return enabled
    ? deploymentStep(events, 'DEPLOYING', 'Deployment started.', now)
    : deploymentStep(events, 'DEACTIVATING', 'Deactivation started.', now)
}

/** Adds warnings to a deployed workload; one that failed has its reasons already. */
export function withWarnings(deploymentEnd: DeploymentStep, warnings: readonly string[], now: Date): DeploymentStep {
  if (deploymentEnd.status !== 'DEPLOYED') return deploymentEnd
  const add = (events: CoreEvent[], message: string) =>
    withEvent({ ...deploymentEnd, events }, { type: 'callback', message }, now)
  return { ...deploymentEnd, events: warnings.reduce(add, deploymentEnd.events) }
}

/** The last step: deployed, or failed with `blockers` as the reasons. */
export function endDeployment(
  { kind, status, events }: Resource,
  blockers: readonly string[],
  now: Date,
): DeploymentStep {
  if (status === 'DEACTIVATING') return deploymentStep(events, 'DEACTIVATED', 'The workload takes no requests.', now)
  return deploymentEnd(
    events,
    blockers,
    kind === 'volume' ? 'The volume is ready.' : 'The workload takes requests.',
    now,
  )
}

const deploymentEnd = (
  events: readonly CoreEvent[],
  blockers: readonly string[],
  ready: string,
  now: Date,
): DeploymentStep =>
  blockers.length > 0
    ? deploymentStep(events, 'FAILED', blockers.join(' '), now)
    : deploymentStep(events, 'DEPLOYED', ready, now)
