import type { BrandedHeaders } from '../../../contract/headers.ts'
import { callbackBody, callbackHeaders } from '../../shared/domain/callback.ts'
import type { Execution } from '../domain/execution.ts'
import type { Executions } from '../domain/ports.ts'

type Needs = {
  executions: Pick<Executions, 'nextToTell' | 'told'>
  sendCallback(url: string, headers: Record<string, string>, body: string): Promise<boolean>
  headers: BrandedHeaders
  now: () => Date
}

/** So many receivers may be slow before others wait for them. */
const atATime = 16

/** Tells of executions that are over; one that is not taken is told again later, by whichever process comes first. */
export const tellCallbacks = (needs: Needs) => async (): Promise<void> => {
  const underWay = new Set<Promise<unknown>>()
  for (let next = await needs.executions.nextToTell(); next; next = await needs.executions.nextToTell()) {
    const telling: Promise<unknown> = tell(needs, next)
      .catch(() => {}) // it is told again
      .finally(() => underWay.delete(telling))
    underWay.add(telling)
    if (underWay.size >= atATime) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}

type Untold = NonNullable<Awaited<ReturnType<Executions['nextToTell']>>>

async function tell({ executions, sendCallback, headers, now }: Needs, { execution, secrets, attempts }: Untold) {
  const { callback } = secrets.reveal()
  const body = bodyOf(execution, now())
  const taken =
    callback && (await sendCallback(callback.url, callbackHeaders(headers, callback.secret, body, now()), body))
  if (taken || attempts >= (callback?.attempts ?? 0)) await executions.told(execution.uid)
}

function bodyOf({ id, job, workspace, status, stats }: Execution, now: Date): string {
  const told = JSON.stringify({ executionId: id, jobId: job, workspaceId: workspace, status, stats })
  return callbackBody(status === 'succeeded' ? 200 : 500, told, told.length, now)
}
