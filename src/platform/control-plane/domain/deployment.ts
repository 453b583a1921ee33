import type { CoreEvent, DeploymentStatus } from '../../../contract/resource.ts'
import type { Kind } from './kind.ts'
import type { Document, Resource } from './resource.ts'

type DeploymentStep = Pick<Resource, 'status' | 'events'>

/** Transient statuses that end without a request. */
export const statusesInMotion = ['DEPLOYING', 'DEACTIVATING'] as const satisfies DeploymentStatus[]

export const isInMotion = ({ status }: Pick<Resource, 'status'>): boolean =>
  (statusesInMotion as ReadonlyArray<Resource['status']>).includes(status)

/** Events are read with the resource, so more would slow every read. */
const maxEvents = 50

export function withEvent({ status, events }: DeploymentStep, news: EventNews, now: Date): CoreEvent[] {
  const event = { status: status ?? '', time: now.toISOString(), revision: '', canaryRevision: '', ...news }
  return [...events, event].slice(-maxEvents)
}

type EventNews = Pick<CoreEvent, 'type' | 'message' | 'code' | 'connection' | 'secretsVersion' | 'toolListHash'>

export type EventRevisions = Pick<CoreEvent, 'revision' | 'canaryRevision'>

const noRevisions: EventRevisions = { revision: '', canaryRevision: '' }

export function deploymentStep(
  events: readonly CoreEvent[],
  status: DeploymentStatus,
  message: string,
  now: Date,
  revisions = noRevisions,
): DeploymentStep {
  const event = { type: 'deployment', status, message, time: now.toISOString(), ...revisions }
  return { status, events: [...events, event].slice(-maxEvents) }
}

export function firstStep(kind: Kind, spec: Document, blockers: readonly string[], now: Date): DeploymentStep {
  if (kind.deploys === 'async') return startDeployment([], spec.enabled !== false, now)
  if (kind.deploys === 'at once') return deploymentEnd([], blockers, `The ${kind.name} is ready.`, now)
  return { status: null, events: [] }
}

export function startDeployment(events: readonly CoreEvent[], enabled: boolean, now: Date): DeploymentStep {
  return enabled
    ? deploymentStep(events, 'DEPLOYING', 'Deployment started.', now)
    : deploymentStep(events, 'DEACTIVATING', 'Deactivation started.', now)
}

/** Skips a notice that repeats the last one. */
export function withNotices<R extends DeploymentStep>(resource: R, notices: readonly string[], now: Date): R {
  const message = notices.join(' ')
  if (message === '' || resource.events.findLast(({ type }) => type === noticeType)?.message === message)
    return resource
  return { ...resource, events: withEvent(resource, { type: noticeType, message }, now) }
}

const noticeType = 'no_effect'

export function withWarnings(deploymentEnd: DeploymentStep, warnings: readonly string[], now: Date): DeploymentStep {
  if (deploymentEnd.status !== 'DEPLOYED') return deploymentEnd
  const add = (events: CoreEvent[], message: string) =>
    withEvent({ ...deploymentEnd, events }, { type: 'callback', message }, now)
  return { ...deploymentEnd, events: warnings.reduce(add, deploymentEnd.events) }
}

export function endDeployment(
  { kind, status, events }: Resource,
  blockers: readonly string[],
  now: Date,
  revisions?: EventRevisions,
): DeploymentStep {
  if (status === 'DEACTIVATING') return deploymentStep(events, 'DEACTIVATED', 'The workload accepts no requests.', now)
  return deploymentEnd(
    events,
    blockers,
    kind === 'volume' ? 'The volume is ready.' : 'The workload accepts requests.',
    now,
    revisions,
  )
}

const deploymentEnd = (
  events: readonly CoreEvent[],
  blockers: readonly string[],
  ready: string,
  now: Date,
  revisions?: EventRevisions,
): DeploymentStep =>
  blockers.length > 0
    ? deploymentStep(events, 'FAILED', blockers.join(' '), now, revisions)
    : deploymentStep(events, 'DEPLOYED', ready, now, revisions)
