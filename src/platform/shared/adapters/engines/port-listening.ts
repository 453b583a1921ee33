import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import type { Containers, KeptContainer } from '../../domain/engine.ts'

const maxStartMs = 60_000
const [firstPauseMs, maxPauseMs] = [300, 5_000]
const maxAnswerMs = 10_000

/** Whether the server of a kept container answers within a minute. */
export async function listensInTime(
  containers: Pick<Containers, 'connect'>,
  kept: KeptContainer,
  signal: AbortSignal,
): Promise<boolean> {
  const last = Date.now() + maxStartMs
  for (let pauseMs = firstPauseMs; Date.now() < last && !signal.aborted; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    if (await listens(containers, kept)) return true
    await pause(pauseMs, undefined, { signal }).catch(ignoreError('the signal ends the loop'))
  }
  return false
}

/** Asks like a browser: a server answers, and without one the connection ends. */
async function listens({ connect }: Pick<Containers, 'connect'>, kept: KeptContainer): Promise<boolean> {
  const port = kept.serves?.port ?? 0
  const connection = await connect?.(kept, port).catch(() => undefined)
  if (!connection) return false
  connection.on('error', ignoreError('the next attempt decides'))
  const first = (event: string) => once(connection, event).catch(ignoreError('the connection failed'))
  const asked = `GET / HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`
  const answered = first('data').then((data) => data !== undefined)
  connection.write(asked)
  const isThere = await Promise.race([answered, first('close').then(() => false), pause(maxAnswerMs, false)])
  if ('destroy' in connection && typeof connection.destroy === 'function') connection.destroy()
  return isThere
}
