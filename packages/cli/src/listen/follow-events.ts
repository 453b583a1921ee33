import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Causeway, type Event, UnreachableError } from '@causeway/client'

type Watch = {
  tenantId: string
  after: string | undefined
  stopped: AbortSignal
  everyMs: number
  /** Told once when the deployment does not answer, and once when it does again. */
  onAway(isAway: boolean): void
}

const longestMs = 10_000

/** Every event behind `after`, in the order of the ledger, for as long as nobody stops it. */
export async function* followEvents({ events }: Causeway, watch: Watch): AsyncGenerator<Event, void, undefined> {
  let { after } = watch
  let failures = 0
  while (!watch.stopped.aborted) {
    const page = await readPage(events, watch, after)
    if (page === undefined) {
      failures += 1
      if (failures === 1) watch.onAway(true)
      await sleep(Math.min(longestMs, watch.everyMs * 2 ** failures), undefined, { signal: watch.stopped })
      continue
    }
    if (failures > 0) watch.onAway(false)
    failures = 0
    for (const event of page) {
      yield event
      after = event.cursor
    }
    if (page.length === 0) await sleep(watch.everyMs, undefined, { signal: watch.stopped })
  }
}

/** Undefined while the deployment is away, or starting. What is wrong with the request itself is thrown. */
async function readPage(
  events: Causeway['events'],
  { tenantId, stopped }: Watch,
  after: string | undefined,
): Promise<Event[] | undefined> {
  try {
    const page = await events.list(tenantId, { limit: 100 }, { signal: stopped }).pages(after).next()
    return page.value?.data ?? []
  } catch (error) {
    stopped.throwIfAborted()
    if (error instanceof UnreachableError || (error instanceof ApiError && error.status >= 429)) return undefined
    throw error
  }
}
