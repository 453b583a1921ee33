// One program as several processes on one machine. They share its port; the leader does nothing but watch over them.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Log } from './log.ts'
import type { Running } from './program.ts'
import { StartError } from './start-error.ts'

/** Whether this process is the one that starts the others. */
export const leads = (processes: number): boolean => processes > 1 && cluster.isPrimary

/** Whether this process was started by the one that leads. */
export const isFork = (): boolean => cluster.isWorker

/** One that dies again and again must not take the machine with it. */
const againMs = 1_000

/**
 * The first starts alone: what is wrong with the settings or the stores is then said once. One that dies later is
 * replaced; what it was at is taken up by whoever finds it, as after any crash.
 */
export async function leadForks(processes: number, log: Log<'process.died'>): Promise<Running> {
  let closing = false
  const watch = (worker: Worker) =>
    worker.once('exit', (status: number | null, signal: string | null) => {
      if (closing) return
      log('process.died', { pid: worker.process.pid, status: status ?? undefined, signal: signal ?? undefined })
      setTimeout(() => closing || watch(cluster.fork()), againMs)
    })
  const first = cluster.fork()
  const port = await ready(first)
  watch(first)
  const others = Array.from({ length: processes - 1 }, () => watch(cluster.fork()))
  await Promise.all(others.map(ready))
  process.send?.({ ready: true, port })
  return {
    async close() {
      closing = true
      await Promise.all(living().map(end))
    },
  }
}

const living = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)

/** Says on which port. */
const ready = (worker: Worker): Promise<number> =>
  new Promise((resolve, reject) => {
    worker.on('message', ({ ready, port }) => ready && resolve(port))
    // One that ended by itself has said why. One that was killed, for its memory for example, could not.
    worker.once('exit', (_status, signal: string | null) =>
      reject(new StartError(signal ? `a process was killed while it started (${signal})` : [])),
    )
  })

async function end(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await ended
}
