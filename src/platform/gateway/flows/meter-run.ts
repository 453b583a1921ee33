import { gigabyteSeconds, type Usage, type UsageEvent } from '../../shared/domain/usage.ts'
import type { OpenMcp } from '../domain/mcp.ts'

type Needs = { usage: Usage; now: () => Date }

/** What a request is billed as, but for its time; `memoryMb` is what runs. */
export type RunDescription = Omit<UsageEvent, 'quantity' | 'startedAt' | 'endedAt'> & { memoryMb: number }

export type MeteredRun = {
  /** The same server, whose calls are billed one by one. */
  billing(mcp: OpenMcp): OpenMcp
  /** The request is answered, or nobody waits for it any more. */
  end(): void
}

/**
 * A request that calls tools is billed by its calls, each until it has ended: those of a batch run at the same time,
 * and in a session they go on when the caller hangs up. Any other request is billed by its own time.
 */
export function meterRun({ usage, now }: Needs, metered: RunDescription): MeteredRun {
  const { workspace, resourceType, resourceName, resourceUuid, dimension, memoryMb, eventId } = metered
  const startedAt = now()
  let begun = 0
  const begin = () => (begun++ === 0 ? { id: eventId, from: startedAt } : { id: `${eventId}:${begun}`, from: now() })
  const record = ({ id, from }: ReturnType<typeof begin>) => {
    const endedAt = now()
    const quantity = gigabyteSeconds(memoryMb, from, endedAt)
    // One by one: a copy to which members are added costs several times as much, and this is done for every call.
    usage.record({
      eventId: id,
      workspace,
      resourceType,
      resourceName,
      resourceUuid,
      dimension,
      quantity,
      startedAt: from,
      endedAt,
    })
  }
  const billed = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    const run = begin()
    try {
      return await ask()
    } finally {
      record(run)
    }
  }
  return {
    billing: (mcp) => ({
      ...mcp,
      call: (...call) => billed(() => mcp.call(...call)),
      ...(mcp.beyondTools && { beyondTools: askedOneByOne(mcp.beyondTools, billed) }),
    }),
    end() {
      if (begun === 0) record(begin())
    },
  }
}

function askedOneByOne(
  beyondTools: NonNullable<OpenMcp['beyondTools']>,
  billed: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>,
): NonNullable<OpenMcp['beyondTools']> {
  return { ...beyondTools, ask: (...asked) => billed(() => beyondTools.ask(...asked)) }
}
