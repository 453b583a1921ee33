import { randomInt, randomUUID } from 'node:crypto'
import type { SandboxProcessInput } from '../../../../contract/gateway/sandboxes.ts'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { describeError, type Log } from '../../../../kit/process/log.ts'
import type { Output } from '../../../shared/domain/engine.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import type { Usage } from '../../../shared/domain/usage.ts'
import { openLimit } from '../../domain/sandbox/open-limit.ts'
import {
  killedCode,
  type ProcessEnd,
  type ProcessKey,
  type ProcessOutput,
  type SandboxProcess,
  type SandboxProcesses,
  type StopState,
} from '../../domain/sandbox/process.ts'
import { noPorts, type OpenSandbox } from '../../domain/sandbox/sandbox.ts'
import { meterLongRun, runOf } from '../meter-run.ts'

type Needs = {
  processes: SandboxProcesses
  usage: Usage
  now: () => Date
  pause: (ms: number) => Promise<void>
  log: Log<'process.abandoned'>
}

type Own = ProcessKey & { stop(state: StopState): void; over: Promise<void> }

type Started = ProcessKey & { over: Promise<void> }

export type RunProcesses = ReturnType<typeof runProcesses>

/** Per workspace. One that waits for its restart counts. */
const maxRunning = 32
const maxSeconds = 24 * 60 * 60
const keptAliveSeconds = 600

/**
 * The process of the platform that starts a command also ends it. The others read its state and output from the
 * database, and request its end there. If this process dies, the engine ends the command, and the lease expires.
 */
export function runProcesses(needs: Needs) {
  const { processes } = needs
  const worker = randomUUID()
  const own = new Map<string, Own>()
  const take = openLimit(maxRunning, 'processes of this workspace are running')
  return {
    async start(workspace: string, opened: OpenSandbox, input: SandboxProcessInput): Promise<Started> {
      if (input.waitForPorts.length > 0 && !opened.kept) throw noPorts()
      const key = { sandbox: opened.sandbox.id, pid: String(randomInt(1_000, 2 ** 31)) }
      const { command, workingDir: workingFolder = '', restartOnFailure, keepAlive: keepsAlive } = input
      const maxRestarts = restartOnFailure ? (input.maxRestarts ?? 0) : 0
      const name = input.name ?? `process-${key.pid}`
      const release = take(workspace)
      const added = { ...key, name, command, workingFolder, maxRestarts, keepsAlive }
      await processes.add(added, worker).catch((error) => {
        release()
        throw error
      })
      const stopping = new AbortController()
      const over = carryOut(needs, { workspace, opened, key, input: { ...input, maxRestarts } }, stopping.signal)
        .catch((error) => needs.log('process.abandoned', { code: describeError(error) }))
        .finally(() => {
          own.delete(idOf(key))
          release()
        })
      own.set(idOf(key), { ...key, stop: (state) => stopping.abort(state), over })
      const waiting = new AbortController()
      const ready = listening(opened, input.waitForPorts, waiting.signal)
      await Promise.race([ready.catch(ignoreError('the process itself was started')), over])
      waiting.abort()
      return { ...key, over }
    },

    /** Resolves when it has ended. If it belongs to another process of the platform, resolves at the request. */
    async stop(found: SandboxProcess, state: StopState): Promise<void> {
      if (found.state !== 'running') return
      await processes.requestStop(found, state)
      const mine = own.get(idOf(found))
      mine?.stop(state)
      await mine?.over
    },

    async renew(): Promise<void> {
      if (own.size === 0) return
      const before = [...own.values()]
      const kept = new Map((await processes.renew(worker, before)).map((each) => [idOf(each), each]))
      for (const each of before) {
        const renewed = kept.get(idOf(each))
        // Its sandbox was removed or disabled.
        if (!renewed) each.stop('killed')
        else if (renewed.stop) each.stop(renewed.stop)
      }
    },

    async stopAll(): Promise<void> {
      for (const each of own.values()) each.stop('killed')
      await Promise.all([...own.values()].map(({ over }) => over))
    },
  }
}

/** Reads the sockets of the container, in which state 0A is listening (proc_pid_net(5)). */
async function listening({ run }: OpenSandbox, ports: readonly number[], signal: AbortSignal): Promise<void> {
  if (ports.length === 0) return
  const hex = ports.map((port) => port.toString(16).toUpperCase().padStart(4, '0'))
  const wait = (port: string) =>
    `until grep -Eq ": [0-9A-F]+:${port} [0-9A-F]+:[0-9A-F]+ 0A" /proc/net/tcp /proc/net/tcp6; do sleep 0.1; done`
  await run({ kind: 'command', script: hex.map(wait).join('\n'), timeoutSeconds: 60, signal })
}

const idOf = ({ sandbox, pid }: ProcessKey) => `${sandbox} ${pid}`

type Run = {
  workspace: string
  opened: OpenSandbox
  key: ProcessKey
  input: SandboxProcessInput & { maxRestarts: number }
}

async function carryOut(needs: Needs, run: Run, signal: AbortSignal): Promise<void> {
  const { processes } = needs
  const { workspace, opened, key, input } = run
  const output = processes.openOutput(key)
  const bill = meterLongRun(needs, runOf(workspace, opened.sandbox, `process-${key.sandbox}-${key.pid}`))
  const aborted = abortOf(signal)
  try {
    let end = await attempt(run, output, signal)
    for (let restarts = 0; end.state === 'failed' && mayRestart(input.maxRestarts, restarts); restarts++) {
      await Promise.race([needs.pause(Math.min(500 * 2 ** restarts, maxRestartPauseMs)), aborted])
      if (signal.aborted) break
      await processes.noteRestart(key)
      end = await attempt(run, output, signal)
    }
    await output.close()
    await processes.end(key, signal.aborted ? { ...end, state: signal.reason as StopState } : end)
  } finally {
    bill.end()
  }
}

const mayRestart = (max: number, restarts: number) => max < 0 || restarts < max

const abortOf = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (signal.aborted) resolve()
  })

const maxRestartPauseMs = 30_000

const encoder = new TextEncoder()

async function attempt({ opened, input }: Run, output: ProcessOutput, signal: AbortSignal): Promise<ProcessEnd> {
  const { command: script, env, workingDir: workingFolder, timeout, keepAlive } = input
  const timeoutSeconds = timeout || (keepAlive && timeout === undefined ? keptAliveSeconds : maxSeconds)
  let isStreamed = false
  const say = (of: Output, text: string) => output.add(of, encoder.encode(text))
  const onOutput = (of: Output, part: Uint8Array) => {
    isStreamed = true
    output.add(of, part)
  }
  try {
    const run = { kind: 'process', script, env, workingFolder, timeoutSeconds, signal, onOutput } as const
    const { stdout, stderr, exitCode = killedCode, ended } = await opened.run(run)
    // Not every engine passes on outputs while a command runs.
    if (!isStreamed) {
      say('stdout', stdout)
      say('stderr', stderr)
    }
    if (ended && !signal.aborted) say('stderr', `${ended}\n`)
    return { state: exitCode === 0 && ended === undefined ? 'completed' : 'failed', exitCode }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    say('stderr', `${error.detail}\n`)
    return { state: 'failed', exitCode: killedCode }
  }
}
