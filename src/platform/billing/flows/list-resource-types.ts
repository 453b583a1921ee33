import type { Caller } from '../../shared/domain/caller.ts'
import type { FindAccount, Metrics } from '../domain/ports.ts'
import { windowOf } from '../domain/window.ts'

type TimeRange = { startTime: string; endTime: string }

export type ListResourceTypes = (caller: Caller, accountId: string, range: TimeRange) => Promise<string[]>

type Needs = { metrics: Pick<Metrics, 'resourceTypes'>; findAccount: FindAccount }

export const listResourceTypes =
  ({ metrics, findAccount }: Needs): ListResourceTypes =>
  async (caller, accountId, { startTime, endTime }) => {
    const { id } = await findAccount(caller, accountId)
    return metrics.resourceTypes(id, windowOf(startTime, endTime))
  }
