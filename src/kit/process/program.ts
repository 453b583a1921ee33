import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable } from '../database/store-errors.ts'
import type { Log } from './log.ts'
import { StartError } from './start-error.ts'

export type Running = {
  drain?: Drain
  close(): Promise<void>
}

type Drain = { ms: number; begin(): void }

/** Starts, waits for a signal, drains, closes, exits. Only SIGTERM drains: at a terminal no load balancer waits. */
export async function runProgram(name: string, start: () => Promise<Running>): Promise<void> {
  const signal = nextSignal()
  await runCommand(name, async () => {
    const running = await start()
    if ((await signal) === 'SIGTERM' && running.drain?.ms) {
      running.drain.begin()
      await Promise.race([pause(running.drain.ms), nextSignal()])
    }
    await running.close()
  })
}

/** EX_TEMPFAIL of sysexits.h. */
export const tryAgainCode = 75

/** Exits with 1 on failure, or with the exit code of a StartError. A StartError is printed as plain lines, any other error with its stack. */
export async function runCommand(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
    process.exit(0)
  } catch (thrown) {
    const error = thrown instanceof StoreUnavailable ? describeOutage(thrown) : thrown
    const lines = error instanceof StartError ? [error.lines].flat() : [error instanceof Error ? error.stack : error]
    for (const line of lines) process.stderr.write(`${name}: ${line}\n`)
    process.exit(error instanceof StartError ? error.exitCode : 1)
  }
}

const describeOutage = ({ store, message }: StoreUnavailable) =>
  new StartError(`${store ?? 'a store'} is unavailable (${message}): try again`, tryAgainCode)

function nextSignal(): Promise<NodeJS.Signals | 'disconnect'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, resolve)
    // The parent process has ended.
    if (process.send) process.once('disconnect', () => resolve('disconnect'))
  })
}

/** Closes in order, also after a failure. */
export const closeAll =
  (...closers: Array<() => unknown>) =>
  async (): Promise<void> => {
    for (const close of closers) {
      try {
        await close()
      } catch {
        // One closed store must not keep the others open.
      }
    }
  }

export const drainAndLog = (log: Log<'program.draining'>, server: { drain(): void }, ms: number): Drain => ({
  ms,
  begin() {
    log('program.draining', { pid: process.pid })
    server.drain()
  },
})

/** Logs before and after. */
export function closeAndLog(log: Log<'program.stopping' | 'program.stopped'>, ...closers: Array<() => unknown>) {
  const { pid } = process
  return closeAll(
    () => log('program.stopping', { pid }),
    ...closers,
    () => log('program.stopped', { pid }),
  )
}
