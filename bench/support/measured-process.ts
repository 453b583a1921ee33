// A server in a process of its own, so that its CPU time and memory are its own too.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

export type MeasuredProcess = {
  port: number
  pid: number
  cpuSeconds(): number
  memoryMb(): number
  stop(): Promise<void>
  /** Ends it as a crash would. */
  kill(): Promise<void>
}

/** Starts a module that sends `{ ready: true, port }` once it listens, and ends when the channel closes. */
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

// Linux counts CPU time in hundredths of a second (USER_HZ), whatever the kernel's own tick.
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

export function memoryMb(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1024
}
