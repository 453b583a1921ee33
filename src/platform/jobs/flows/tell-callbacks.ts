import type { BrandedHeaders } from '../../../contract/headers.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { callbackBody, callbackHeaders, type SendCallback, undelivered } from '../../shared/domain/callback.ts'
import type { Execution } from '../domain/execution.ts'
import type { Executions } from '../domain/ports.ts'

type Needs = {
  executions: Pick<Executions, 'nextToTell' | 'tellLater' | 'told'>
  sendCallback: SendCallback
  /** Tells the owner of a job. */
  noteCallback(workspace: string, job: string, message: string): Promise<void>
  headers: BrandedHeaders
  log: Pick<Log, 'warn'>
  now: () => Date
}

/** So many receivers may be slow before others wait for them. */
const atATime = 16

/** Tells of executions that are over; one that is not taken is told again later, by whichever process comes first. */
export const tellCallbacks = (needs: Needs) => async (): Promise<void> => {
  const underWay = new Set<Promise<unknown>>()
  for (let next = await needs.executions.nextToTell(); next; next = await needs.executions.nextToTell()) {
    const telling: Promise<unknown> = tell(needs, next)
      .catch((error) => needs.log.warn('a callback is sent again later', { code: describeError(error) }))
      .finally(() => underWay.delete(telling))
    underWay.add(telling)
    if (underWay.size >= atATime) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}

type Untold = NonNullable<Awaited<ReturnType<Executions['nextToTell']>>>

/** What is given up is lost for the receiver, so the owner of the job is told. */
async function tell(needs: Needs, { execution, secrets, attempts }: Untold): Promise<void> {
  const { callback } = secrets.reveal()
  if (!callback) return needs.executions.told(execution.uid)
  const body = bodyOf(execution, needs.now())
  const headers = callbackHeaders(needs.headers, callback.secret, body, needs.now())
  const delivery = await needs.sendCallback(callback.url, headers, body)
  if (!delivery.taken && !delivery.refused && attempts < callback.attempts) {
    return needs.executions.tellLater(execution.uid)
  }
  if (!delivery.taken) {
    await needs.noteCallback(execution.workspace, execution.job, undelivered(callback.url, delivery))
  }
  await needs.executions.told(execution.uid)
}

function bodyOf({ id, job, workspace, status, stats }: Execution, now: Date): string {
  const told = JSON.stringify({ executionId: id, jobId: job, workspaceId: workspace, status, stats })
  return callbackBody(status === 'succeeded' ? 200 : 500, told, told.length, now)
}
