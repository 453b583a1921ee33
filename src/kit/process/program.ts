import type { Log } from './log.ts'
import { StartError } from './start-error.ts'

export type Running = { close(): Promise<void> }

/** The life of a program: start, wait for a signal, close once, exit. */
export async function runProgram(name: string, start: () => Promise<Running>): Promise<void> {
  const signal = nextSignal()
  await runCommand(name, async () => {
    const running = await start()
    await signal
    await running.close()
  })
}

/**
 * Does one thing and exits, with 1 when it could not be done.
 * A StartError is shown as plain lines; anything else is our bug and keeps its stack.
 */
export async function runCommand(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
    process.exit(0)
  } catch (error) {
    const lines = error instanceof StartError ? [error.lines].flat() : [error instanceof Error ? error.stack : error]
    for (const line of lines) process.stderr.write(`${name}: ${line}\n`)
    process.exit(1)
  }
}

function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
    // A program started by another one as its tool ends with it, however that one ends.
    if (process.send) process.once('disconnect', () => resolve())
  })
}

/** Closes in the given order, each even when one before it failed. */
export const closeAll =
  (...closers: Array<() => unknown>) =>
  async (): Promise<void> => {
    for (const close of closers) {
      try {
        await close()
      } catch {
        // Going away already: a store that is gone first must not keep the others open.
      }
    }
  }

/** The same, with a line in the log before and after. */
export function closeAndTell(log: Log<'program.stopping' | 'program.stopped'>, ...closers: Array<() => unknown>) {
  const { pid } = process
  return closeAll(
    () => log('program.stopping', { pid }),
    ...closers,
    () => log('program.stopped', { pid }),
  )
}
