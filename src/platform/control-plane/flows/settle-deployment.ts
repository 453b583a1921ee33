import { describeError } from '../../../kit/process/log.ts'
import { endDeployment, isInMotion, withWarnings } from '../domain/deployment.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { ResourceKey } from '../domain/resource.ts'
import { lateMembers } from './assign-members.ts'
import { containerProblems, findBlockers, findWarnings } from './find-blockers.ts'

export function settleSoon(ports: ControlPlanePorts, key: ResourceKey): void {
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

async function settle(ports: ControlPlanePorts, key: ResourceKey): Promise<void> {
  const { resources, now } = ports
  const found = await resources.find(key)
  if (!found || !isInMotion(found)) return
  const blockers = await findBlockers(ports, found)
  const reasons = blockers.length > 0 ? blockers : await containerProblems(ports, found)
  const late = await lateMembers(ports, found)
  await resources.change(key, (current) =>
    current.version === found.version && isInMotion(current)
      ? {
          ...current,
          spec: { ...late, ...current.spec },
          ...withWarnings(endDeployment(current, reasons, now()), findWarnings(ports, current), now()),
        }
      : current,
  )
}
