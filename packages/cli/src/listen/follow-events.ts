import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Causeway, type Event, UnreachableError } from '@causeway/client'

type Watch = {
  tenantId: string
  after: string | undefined
  stopped: AbortSignal
  report(line: string): void
}

const pollMs = 1_000
const maxDelayMs = 10_000

/** Yields the events after the cursor `after`, oldest first, until `stopped` is aborted. */
export async function* followEvents({ events }: Causeway, watch: Watch): AsyncGenerator<Event, void, undefined> {
  const { tenantId, stopped, report } = watch
  let { after } = watch
  let failures = 0
  while (!stopped.aborted) {
    const page = await readPage(events.list(tenantId, { limit: 100 }, { signal: stopped }).pages(after), stopped)
    if (page === undefined) {
      failures += 1
      if (failures === 1) report('The deployment does not respond. Retrying.')
      await sleep(Math.min(maxDelayMs, pollMs * 2 ** failures), undefined, { signal: stopped })
      continue
    }
    if (failures > 0) report('The deployment responds again.')
    failures = 0
    for (const event of page) {
      yield event
      after = event.cursor
    }
    if (page.length === 0) await sleep(pollMs, undefined, { signal: stopped })
  }
}

type Pages = AsyncGenerator<{ data: Event[] }, void, undefined>

/** Returns undefined if the deployment is unreachable, starting or overloaded. Throws other errors. */
async function readPage(pages: Pages, stopped: AbortSignal): Promise<Event[] | undefined> {
  try {
    return (await pages.next()).value?.data ?? []
  } catch (error) {
    stopped.throwIfAborted()
    if (error instanceof UnreachableError || (error instanceof ApiError && error.status >= 429)) return undefined
    throw error
  }
}

/** Returns the cursor of the newest event, or of the newest event before `since`. */
export async function startingCursor(
  { events }: Causeway,
  tenantId: string,
  since: Date | undefined,
): Promise<string | undefined> {
  for await (const { cursor, timestamp } of events.list(tenantId, { order: 'newest', limit: since ? 100 : 1 })) {
    if (!since || new Date(timestamp) < since) return cursor
  }
  return undefined
}
