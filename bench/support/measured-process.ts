// Runs a server in a separate process, to measure its CPU time and memory.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'

export type MeasuredProcess = {
  port: number
  pid: number
  cpuSeconds(): number
  memoryMb(): number
  stop(): Promise<void>
  /** Kills the process. */
  kill(): Promise<void>
}

/** Starts a module that sends `{ ready: true, port }` when it listens and exits when the channel closes. */
export async function startMeasured(
  file: string,
  env: Record<string, string>,
  execArgv: string[] = [],
): Promise<MeasuredProcess> {
  const child = fork(file, { execArgv, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const [message] = (await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error(`${file} ended before it was ready`))),
  ])) as [{ port: number }]
  const pid = child.pid as number
  return {
    port: message.port,
    pid,
    cpuSeconds: () => cpuSeconds(pid),
    memoryMb: () => memoryMb(pid),
    stop: async () => {
      if (child.connected) child.disconnect()
      else console.error(`${file} had ended by itself: ${child.exitCode ?? child.signalCode}`)
      await ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

export const cpuSeconds = (pid: number): number => timesOf(pid)?.own ?? Number.NaN

/** Includes children, also those that have ended. */
export function cpuSecondsOfTree(pid: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
  const living = all.filter((process) => process?.parent === pid)
  const parent = timesOf(pid)
  return [parent, ...living].reduce((sum, process) => sum + (process ? process.own + process.ended : 0), 0)
}

/** Undefined after the process has ended. Linux counts in hundredths of a second (USER_HZ). */
function timesOf(pid: number): { parent: number; own: number; ended: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? []
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return { parent: fields[1] ?? 0, own: (user + system) / 100, ended: (endedUser + endedSystem) / 100 }
  } catch {
    return undefined
  }
}

function memoryMb(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1024
}
