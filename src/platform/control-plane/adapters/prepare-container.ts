import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import type { Containers, Engine, KeptContainer } from '../../shared/domain/engine.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'

const maxStartMs = 60_000
const [firstPauseMs, maxPauseMs] = [300, 5_000]
const maxAnswerMs = 10_000

export const containerPreparer =
  ({ containers }: Engine): ControlPlanePorts['prepareContainer'] =>
  async ({ kind, ...kept }, signal) => {
    if (!containers) return {}
    if (kind === 'job') return containers.fetch(kept.image)
    const started = await containers.keep(kept)
    if (started.problem !== undefined || !kept.serves) return started
    return (await listensInTime(containers, kept, kept.serves.port, signal)) ? {} : { problem: notListening(kept) }
  }

async function listensInTime(
  containers: Containers,
  kept: KeptContainer,
  port: number,
  signal: AbortSignal,
): Promise<boolean> {
  const last = Date.now() + maxStartMs
  for (let pauseMs = firstPauseMs; Date.now() < last && !signal.aborted; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    if (await listens(containers, kept, port)) return true
    await pause(pauseMs, undefined, { signal }).catch(ignoreError('the signal ends the loop'))
  }
  return false
}

/** Asks like a browser: a server answers, and without one the connection ends. */
async function listens({ connect }: Containers, kept: KeptContainer, port: number): Promise<boolean> {
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

const notListening = ({ image, serves }: KeptContainer) =>
  `The image ${image} did not listen at port ${serves?.port} within a minute. Its server gets the port in PORT and may listen at the loopback address; spec.runtime.ports changes it. The image needs /bin/sh with bash or nc.`
