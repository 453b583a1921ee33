// Messages are sent by a process of its own, which outlives `listen` for as long as a message is on its way: whoever
// kills `listen`, even with kill -9, does not cut off the answer, and the next run knows what became of the message.
import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from '../errors.ts'
import type { Message } from './forward.ts'
import { holderOf } from './lock.ts'

export type Task = { message: Message; cursor: string }

/** The first thing that the forwarder is told. */
export type Assignment = { statePath: string; target: string }

export type Answered = { status: number; ms: number }

/** What the forwarder says. Only an answer ends a task. */
export type Report =
  | { kind: 'ready' }
  | { kind: 'answered'; answered: Answered }
  | { kind: 'away'; reason: string }
  | { kind: 'waiting' }

export type Notices = {
  /** The receiver cannot be reached, or broke the connection. */
  onAway(reason: string): void
  /** The receiver has the message, and takes its time. */
  onWaiting(): void
}

export type Forwarder = { send(task: Task): Promise<Answered>; letGo(): void }

export const forwarderArgument = '--forward-messages'

export const forwarderLock = (statePath: string): string => `${statePath}.sending.lock`

/** One of the last run may still wait for its answer. `onWait` is told once if it does. */
export async function waitForLastForwarder(statePath: string, stopped: AbortSignal, onWait: () => void): Promise<void> {
  for (let asked = 1; holderOf(forwarderLock(statePath)) !== undefined; asked += 1) {
    if (asked === 10) onWait()
    await sleep(100, undefined, { signal: stopped })
  }
}

type Start = { program: string; assignment: Assignment; notices: Notices; stopped: AbortSignal }

export async function startForwarder({ program, assignment, notices, stopped }: Start): Promise<Forwarder> {
  // Detached, it is not reached by what a terminal sends to everybody in it.
  const child = fork(program, [forwarderArgument], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  let report = (_: Report): void => {}
  child.on('message', (message) => report(message as Report))
  const ended = new Promise<never>((_, reject) => {
    const onEnd = () => reject(new CommandError('The process that sends messages ended. Start causeway listen again.'))
    child.once('error', onEnd).once('exit', onEnd)
    stopped.addEventListener('abort', () => reject(stopped.reason), { once: true })
  })
  ended.catch(() => {}) // Told to whoever waits for an answer.
  const until = (kind: Report['kind'], said: unknown) => {
    const reported = new Promise<Report>((resolve) => {
      report = (each) => {
        if (each.kind === kind) resolve(each)
        else tell(each, notices)
      }
    })
    child.send(said as object)
    return Promise.race([reported, ended])
  }
  await until('ready', assignment)
  return {
    async send(task) {
      const answer = await until('answered', task)
      return (answer as Extract<Report, { kind: 'answered' }>).answered
    },
    letGo: () => leave(child),
  }
}

function tell(report: Report, { onAway, onWaiting }: Notices): void {
  if (report.kind === 'away') onAway(report.reason)
  if (report.kind === 'waiting') onWaiting()
}

/** It ends when it has nothing on its way. */
function leave(child: ChildProcess): void {
  if (child.connected) child.disconnect()
  child.unref()
}
