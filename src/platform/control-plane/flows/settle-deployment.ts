import { describeError } from '../../../kit/process/log.ts'
import { type EventRevisions, endDeployment, isInMotion, withWarnings } from '../domain/deployment.ts'
import type { ControlPlanePorts, Settling } from '../domain/ports.ts'
import type { Resource, ResourceKey } from '../domain/resource.ts'
import { currentRevision, hasRevisions, isServing, settledState, trafficOf } from '../domain/revisions.ts'
import { lateMembers } from './assign-members.ts'
import { containerProblems, findBlockers, findWarnings } from './find-blockers.ts'

export function settleSoon(ports: ControlPlanePorts, key: ResourceKey & Pick<Resource, 'id'>): void {
  // A newer deployment takes the place of one that still waits for its container.
  ports.settling.get(key.id)?.stop.abort()
  settle(ports, key).catch((error) => ports.log('deployment.unsettled', { code: describeError(error) }))
}

/** The process of an older deployment has stopped. */
const strandedAfterMs = 5_000

/** At the same time: a container may take minutes. */
export async function settleStranded(ports: ControlPlanePorts): Promise<void> {
  const before = new Date(ports.now().getTime() - strandedAfterMs)
  const stranded = await ports.resources.stranded(before)
  const ends = await Promise.allSettled(stranded.map((key) => settle(ports, key)))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** One at a time for each resource: a thousand updates do not start a thousand containers. */
async function settle(ports: ControlPlanePorts, key: ResourceKey): Promise<void> {
  const found = await ports.resources.find(key)
  if (!found || !isInMotion(found)) return
  const running = ports.settling.get(found.id)
  if (running) {
    running.again = true
    return
  }
  const current: Settling = { again: false, stop: new AbortController() }
  ports.settling.set(found.id, current)
  await settleFound(ports, found, current.stop.signal).finally(() => ports.settling.delete(found.id))
  if (current.again) await settle(ports, key)
}

async function settleFound(ports: ControlPlanePorts, found: Resource, signal: AbortSignal): Promise<void> {
  const { resources, now } = ports
  const blockers = await findBlockers(ports, found)
  const problems = blockers.length > 0 ? [] : await containerProblems(ports, found, signal)
  if (signal.aborted) return
  const late = await lateMembers(ports, found)
  const outcome = blockers.length > 0 ? 'other' : problems.length > 0 ? 'container_failed' : 'accepted'
  await resources.change(found, (current) => {
    if (current.version !== found.version || !isInMotion(current)) return current
    const settled = { ...current, spec: { ...late, ...current.spec }, ...stateAfter(current, outcome) }
    const goesOn = problems.length > 0 && isServing({ ...settled, status: 'FAILED' }) ? [goesOnBefore] : []
    const reasons = [...blockers, ...problems, ...goesOn]
    const end = endDeployment(current, reasons, now(), eventRevisions(settled))
    return { ...settled, ...withWarnings(end, findWarnings(ports, current), now()) }
  })
}

const goesOnBefore = 'Requests still go to the revision before it.'

/** A disabled workload was not deployed. */
const stateAfter = (resource: Resource, outcome: Parameters<typeof settledState>[1]) =>
  hasRevisions(resource.kind, resource.spec) && resource.status === 'DEPLOYING'
    ? { state: settledState(resource, outcome) }
    : {}

function eventRevisions(resource: Resource): EventRevisions | undefined {
  if (!hasRevisions(resource.kind, resource.spec)) return undefined
  return { revision: currentRevision(resource), canaryRevision: trafficOf(resource).canary ?? '' }
}
