import type { Request, Response } from 'express'
import { plainHeaders } from '../../../contract/headers.ts'
import type { Caller, Member } from '../domain/caller.ts'
import { digest, type Idempotency, replay, requestId } from '../domain/idempotency.ts'

/**
 * With an Idempotency-Key, a request that is sent again is answered again and not done again.
 * A refusal is forgotten: the caller may mend the request and send it under the same key.
 */
export async function onceOnly(
  store: Idempotency | undefined,
  req: Request,
  res: Response,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const key = req.get(plainHeaders.idempotencyKey)
  if (!store || key === undefined || req.method !== 'POST') return run()
  const { caller, member } = res.locals as { caller: Caller; member: Member | undefined }
  const id = requestId(key, caller, member, req.originalUrl)
  const bodyHash = digest(JSON.stringify(req.body ?? null))
  const earlier = await store.begin(id, bodyHash)
  if (earlier) {
    const answer = JSON.parse(replay(earlier, bodyHash))
    res.set(plainHeaders.idempotencyReplayed, 'true')
    return answer
  }
  try {
    const answer = await run()
    await store.finish(id, JSON.stringify(answer))
    return answer
  } catch (error) {
    await store.forget(id)
    throw error
  }
}
