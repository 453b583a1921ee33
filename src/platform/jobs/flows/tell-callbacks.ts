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

/** Tells of executions that are over; one that is not taken is told again later, by whichever process comes first. */
export const tellCallbacks =
  ({ executions, sendCallback, headers, now }: Needs) =>
  async (): Promise<void> => {
    for (let next = await executions.nextToTell(); next; next = await executions.nextToTell()) {
      const { callback } = next.secrets.reveal()
      const body = bodyOf(next.execution, now())
      const taken =
        callback && (await sendCallback(callback.url, callbackHeaders(headers, callback.secret, body, now()), body))
      if (taken || next.attempts >= (callback?.attempts ?? 0)) await executions.told(next.execution.uid)
    }
  }

function bodyOf({ id, job, workspace, status, stats }: Execution, now: Date): string {
  const told = JSON.stringify({ executionId: id, jobId: job, workspaceId: workspace, status, stats })
  return callbackBody(status === 'succeeded' ? 200 : 500, told, told.length, now)
}
