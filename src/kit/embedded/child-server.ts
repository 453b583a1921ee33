import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { ignoreError } from '../process/ignore-error.ts'

export type ChildServer = {
  child: ChildProcess
  output(): string
  ended: Promise<number | null>
  /** Also waits for the last output. */
  stop(): Promise<void>
}

/**
 * Runs a server that ends with this process. A reader holds the other end of our pipe: when the pipe closes, by stop()
 * or because this process was killed, the server gets an interrupt. It has its own process group, so that Ctrl-C
 * reaches this process first.
 */
export function startChildServer(
  command: string,
  args: readonly string[],
  options: ChildServerOptions = {},
): ChildServer {
  const child = spawn('/bin/sh', ['-c', endWithPipe, 'child-server', command, ...args], {
    ...options,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output = (output + chunk).slice(-4_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  child.stdin.on('error', ignoreError('the server ended first'))
  const ended = once(child, 'exit').then(([code]) => {
    child.stdin.destroy() // ends the shell's reader of the pipe
    return code as number | null
  })
  const allRead = once(child, 'close')
  child.unref()
  return {
    child,
    output: () => output,
    ended,
    stop: async () => {
      child.ref() // stop() waits for the end
      child.stdin.end()
      await ended
      await Promise.race([allRead, pause(orphanTimeoutMs, undefined, { ref: false })])
    },
  }
}

export async function becomesReady(server: ChildServer, isReady: () => Promise<boolean>): Promise<boolean> {
  let running = true
  void server.ended.then(() => {
    running = false
  })
  for (const deadline = Date.now() + 30_000; Date.now() < deadline && running; ) {
    if (await isReady()) return true
    await pause(20)
  }
  await server.stop()
  return false
}

export const lastLine = (server: ChildServer): string => server.output().trim().split('\n').at(-1) ?? ''

/** A child of a killed server may hold its output open. */
const orphanTimeoutMs = 1_000

type ChildServerOptions = { cwd?: string; uid?: number; gid?: number; env?: NodeJS.ProcessEnv }

// `exec` gives the server the pid of the shell; the reader of the pipe stays beside it.
const endWithPipe = `
exec 3<&0
( cat <&3 >/dev/null; kill -INT $$ ) >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-
`
