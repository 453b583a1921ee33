import { describeError, type Log } from '../../../kit/process/log.ts'
import { endDeployment, isInMotion, withWarnings } from '../domain/deployment.ts'
import type { Resources } from '../domain/ports.ts'
import type { Document, Resource, ResourceKey } from '../domain/resource.ts'

export type DeployableResource = Pick<Resource, 'workspace' | 'kind' | 'spec'>

/** What keeps a workload from running, as sentences for its owner; empty when nothing does. */
export type Blockers = (resource: DeployableResource) => Promise<string[]>

/** Members of the spec that the service sets and could not set before, because something was missing. */
export type LateMembers = (resource: DeployableResource) => Promise<Document>

/** What will not work although the workload runs, as sentences for its owner. */
export type Warnings = (resource: Resource) => string[]

export type Settle = {
  /** Completes the deployment of one workload without making its caller wait. */
  soon(key: ResourceKey): void
  /** Completes deployments that a stopped process left behind. */
  stranded(): Promise<void>
}

type Needs = {
  resources: Pick<Resources, 'change' | 'find' | 'stranded'>
  blockers: Blockers
  lateMembers: LateMembers
  warnings: Warnings
  now: () => Date
  log: Log<'deployment.unsettled'>
}

/** The process of a deployment this old has died. */
const strandedAfterMs = 5_000

export function settleDeployment({ resources, blockers, lateMembers, warnings, now, log }: Needs): Settle {
  const settle = async (key: ResourceKey) => {
    const found = await resources.find(key)
    if (!found || !isInMotion(found)) return
    const reasons = await blockers(found)
    const late = await lateMembers(found)
    await resources.change(key, (current) =>
      current.version === found.version && isInMotion(current)
        ? {
            ...current,
            spec: { ...late, ...current.spec },
            ...withWarnings(endDeployment(current, reasons, now()), warnings(current), now()),
          }
        : current,
    )
  }
  return {
    soon: (key) => {
      settle(key).catch((error) => log('deployment.unsettled', { code: describeError(error) }))
    },
    async stranded() {
      for (const key of await resources.stranded(new Date(now().getTime() - strandedAfterMs))) await settle(key)
    },
  }
}
