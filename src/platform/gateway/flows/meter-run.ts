import { gigabyteSeconds, type Usage, type UsageEvent } from '../../shared/domain/usage.ts'
import type { OpenMcp } from '../domain/mcp.ts'
import type { Workload } from '../domain/workload.ts'

export type RunDescription = Omit<UsageEvent, 'quantity' | 'startedAt' | 'endedAt'> & { memoryMb: number }

export type MeteredRun = {
  billing(mcp: OpenMcp): OpenMcp
  end(): void
}

/** Bills each tool call until it ends, even if the caller hangs up; other requests by their own time. */
export function meterRun(
  { usage, now }: { usage: Usage; now: () => Date },
  { memoryMb, eventId, ...run }: RunDescription,
): MeteredRun {
  const startedAt = now()
  let begun = 0
  const begin = () => (begun++ === 0 ? { id: eventId, from: startedAt } : { id: `${eventId}:${begun}`, from: now() })
  const record = ({ id, from }: ReturnType<typeof begin>) => {
    const endedAt = now()
    const quantity = gigabyteSeconds(memoryMb, from, endedAt)
    usage.record({ ...run, eventId: id, quantity, startedAt: from, endedAt })
  }
  const billed = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    const started = begin()
    try {
      return await ask()
    } finally {
      record(started)
    }
  }
  return {
    billing({ beyondTools, ...mcp }) {
      const call: OpenMcp['call'] = (...called) => billed(() => mcp.call(...called))
      if (!beyondTools) return { ...mcp, call }
      return {
        ...mcp,
        call,
        beyondTools: { ...beyondTools, ask: (...asked) => billed(() => beyondTools.ask(...asked)) },
      }
    },
    end() {
      if (begun === 0) record(begin())
    },
  }
}

const billedMs = 60_000

/** Records usage every minute, so that little is lost if the platform is killed. */
export function meterLongRun(
  needs: Parameters<typeof meterRun>[0],
  { eventId, ...run }: RunDescription,
): { end(): void } {
  let part = 0
  const begin = () => meterRun(needs, { ...run, eventId: `${eventId}-${part++}` })
  let current = begin()
  const turn = setInterval(() => {
    current.end()
    current = begin()
  }, billedMs)
  return {
    end() {
      clearInterval(turn)
      current.end()
    },
  }
}

/** Usage of a sandbox. */
export const runOf = (workspace: string, { id, name, memoryMb }: Workload, eventId: string): RunDescription => ({
  ...{ eventId, workspace, memoryMb, resourceType: 'sandbox', resourceName: name, resourceUuid: id },
  dimension: 'sandbox_compute_runtime_gbs',
})
