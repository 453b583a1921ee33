import { gigabyteSeconds, type Usage, type UsageEvent } from '../../shared/domain/usage.ts'
import type { OpenMcp } from '../domain/mcp.ts'

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
