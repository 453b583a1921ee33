// The other end of forwarder.ts.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Forwarded, forward } from './forward.ts'
import { type Answered, type Assignment, forwarderLock, type Report, type Task } from './forwarder.ts'
import { lock } from './lock.ts'
import { type ListenState, type StateFile, stateFileAt } from './state.ts'

const longestMs = 10_000
const patienceMs = 30_000

/** Takes one task after another, until whoever gives them is gone. */
export function runForwarder(): void {
  let file: StateFile
  let target: string
  let isBusy = false
  process.on('message', async (said: Assignment | Task) => {
    if ('statePath' in said) {
      file = stateFileAt(said.statePath)
      target = said.target
      process.once('exit', lock(forwarderLock(said.statePath)))
      return say({ kind: 'ready' })
    }
    isBusy = true
    const answered = await deliver(file, target, said)
    isBusy = false
    if (!process.connected) process.exit()
    say({ kind: 'answered', answered })
  })
  process.once('disconnect', () => {
    if (!isBusy) process.exit()
  })
}

/** An answer is an answer, whatever its status. A receiver that is away is waited for. */
async function deliver(file: StateFile, target: string, { message, cursor }: Task): Promise<Answered> {
  const state = file.read() as ListenState
  for (let attempt = 1; ; attempt += 1) {
    file.write({ ...state, sending: message.id })
    const forwarded = await patiently(forward(target, state.secret, message))
    if (forwarded.status !== undefined) {
      file.write({ ...state, cursor, sending: undefined, last: { id: message.id, status: forwarded.status } })
      return forwarded
    }
    if (!forwarded.mayHaveArrived) file.write({ ...state, sending: undefined })
    if (!process.connected) process.exit()
    if (attempt === 1) say({ kind: 'away', reason: forwarded.reason })
    await sleep(Math.min(longestMs, 250 * 2 ** attempt))
    if (!process.connected) process.exit()
  }
}

async function patiently(sending: Promise<Forwarded>): Promise<Forwarded> {
  const timer = setTimeout(() => say({ kind: 'waiting' }), patienceMs)
  try {
    return await sending
  } finally {
    clearTimeout(timer)
  }
}

/** Nobody may be listening any more: that ends nothing. */
const say = (report: Report): void => {
  if (process.connected) process.send?.(report, undefined, undefined, () => {})
}
