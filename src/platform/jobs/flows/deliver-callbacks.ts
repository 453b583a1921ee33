import type { BrandedHeaders } from '../../../contract/headers.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import {
  callbackBody,
  callbackHeaders,
  lostDelivery,
  maxClaims,
  type SendCallback,
  suspectClaims,
  undeliveredMessage,
} from '../../shared/domain/callback.ts'
import type { Execution } from '../domain/execution.ts'
import type { Executions, Jobs, PendingCallback } from '../domain/ports.ts'

type DeliveryPorts = {
  executions: Pick<Executions, 'nextCallback' | 'retryCallback' | 'callbackDone'>
  sendCallback: SendCallback
  jobs: Pick<Jobs, 'noteCallback'>
  log: Log<'callback.failed'>
  now: () => Date
}

/** Slow receivers block others only beyond this number. */
const maxConcurrent = 16

/** Delivers the results of finished executions. Rejected deliveries are retried by any process. */
export async function deliverCallbacks(ports: DeliveryPorts, headers: BrandedHeaders): Promise<void> {
  const underWay = new Set<Promise<unknown>>()
  for (let next = await ports.executions.nextCallback(); next; next = await ports.executions.nextCallback()) {
    const isSuspect = next.claims > suspectClaims
    if (isSuspect) await Promise.all(underWay)
    const delivery: Promise<unknown> = deliver(ports, headers, next)
      .catch((error) => ports.log('callback.failed', { code: describeError(error) }))
      .finally(() => underWay.delete(delivery))
    underWay.add(delivery)
    if (isSuspect || underWay.size >= maxConcurrent) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}

async function deliver(
  { executions, jobs, sendCallback, now }: DeliveryPorts,
  branded: BrandedHeaders,
  { execution, secrets, attempts, claims }: PendingCallback,
): Promise<void> {
  if (!secrets) {
    await jobs.noteCallback(execution.workspace, execution.job, unreadableMessage(execution))
    return executions.callbackDone(execution.uid)
  }
  const { callback } = secrets.reveal()
  if (!callback) return executions.callbackDone(execution.uid)
  const body = bodyOf(execution, now())
  const headers = callbackHeaders(branded, callback.secret, body, now())
  const delivery = claims > maxClaims ? lostDelivery : await sendCallback(callback.url, headers, body)
  if (!delivery.taken && !delivery.refused && attempts < callback.attempts) {
    return executions.retryCallback(execution.uid)
  }
  if (!delivery.taken) {
    await jobs.noteCallback(execution.workspace, execution.job, undeliveredMessage(callback.url, delivery))
  }
  await executions.callbackDone(execution.uid)
}

const unreadableMessage = ({ id }: Execution) =>
  `The callback of execution ${id} was not sent: its stored URL and secret can't be decrypted. Ask the platform's operator to restore the encryption key.`

function bodyOf({ id, job, workspace, status, stats }: Execution, now: Date): string {
  const result = JSON.stringify({ executionId: id, jobId: job, workspaceId: workspace, status, stats })
  return callbackBody(status === 'succeeded' ? 200 : 500, result, result.length, now)
}
