import type { BrandedHeaders } from '../../../contract/headers.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import {
  callbackBody,
  callbackHeaders,
  lostDelivery,
  mostClaims,
  type SendCallback,
  suspectClaims,
  undeliveredMessage,
} from '../../shared/domain/callback.ts'
import type { Execution } from '../domain/execution.ts'
import type { Executions, PendingCallback } from '../domain/ports.ts'

type Needs = {
  executions: Pick<Executions, 'nextCallback' | 'retryCallback' | 'callbackDone'>
  sendCallback: SendCallback
  /** Adds an event to the job, for its owner. */
  noteCallback(workspace: string, job: string, message: string): Promise<void>
  headers: BrandedHeaders
  log: Log<'callback.failed'>
  now: () => Date
}

/** So many receivers may be slow before others wait for them. */
const atATime = 16

/** Delivers the results of executions that are over. One that is not accepted is sent again later, by any process. */
export const deliverCallbacks = (needs: Needs) => async (): Promise<void> => {
  const underWay = new Set<Promise<unknown>>()
  for (let next = await needs.executions.nextCallback(); next; next = await needs.executions.nextCallback()) {
    const isSuspect = next.claims > suspectClaims
    if (isSuspect) await Promise.all(underWay)
    const delivery: Promise<unknown> = deliver(needs, next)
      .catch((error) => needs.log('callback.failed', { code: describeError(error) }))
      .finally(() => underWay.delete(delivery))
    underWay.add(delivery)
    if (isSuspect || underWay.size >= atATime) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}

/** After the last attempt the receiver never gets it, so the job gets an event for its owner. */
async function deliver(needs: Needs, { execution, secrets, attempts, claims }: PendingCallback): Promise<void> {
  if (!secrets) {
    await needs.noteCallback(execution.workspace, execution.job, unreadableMessage(execution))
    return needs.executions.callbackDone(execution.uid)
  }
  const { callback } = secrets.reveal()
  if (!callback) return needs.executions.callbackDone(execution.uid)
  const body = bodyOf(execution, needs.now())
  const headers = callbackHeaders(needs.headers, callback.secret, body, needs.now())
  const delivery = claims > mostClaims ? lostDelivery : await needs.sendCallback(callback.url, headers, body)
  if (!delivery.taken && !delivery.refused && attempts < callback.attempts) {
    return needs.executions.retryCallback(execution.uid)
  }
  if (!delivery.taken) {
    await needs.noteCallback(execution.workspace, execution.job, undeliveredMessage(callback.url, delivery))
  }
  await needs.executions.callbackDone(execution.uid)
}

const unreadableMessage = ({ id }: Execution) =>
  `The callback of execution ${id} was not sent: its stored address and secret cannot be decrypted. Ask the operator of the platform to restore the encryption key.`

function bodyOf({ id, job, workspace, status, stats }: Execution, now: Date): string {
  const result = JSON.stringify({ executionId: id, jobId: job, workspaceId: workspace, status, stats })
  return callbackBody(status === 'succeeded' ? 200 : 500, result, result.length, now)
}
