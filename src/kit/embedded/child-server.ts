import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { ignoreError } from '../process/ignore-error.ts'

export type ChildServer = {
  child: ChildProcess
  output(): string
  ended: Promise<number | null>
  /** Waits for its end, and for the last of what it printed. */
  stop(): Promise<void>
}

/**
 * Runs a server that ends with us, however we end. A reader holds the other end of our pipe: when the pipe closes,
 * by stop() or because this process was killed, the server gets an interrupt and shuts down cleanly.
 * It has its own process group, so a Ctrl-C in the terminal reaches us first and the stores last.
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
    child.stdin.destroy() // ends the shell's own reader of the pipe
    return code as number | null
  })
  const allRead = once(child, 'close')
  child.unref()
  return {
    child,
    output: () => output,
    ended,
    stop: async () => {
      child.ref() // somebody waits for its end now, so the process must too
      child.stdin.end()
      await ended
      await Promise.race([allRead, pause(orphansMs, undefined, { ref: false })])
    },
  }
}

/** A child that a killed server left behind may hold its output open. */
const orphansMs = 1_000

export type ChildServerOptions = { cwd?: string; uid?: number; gid?: number; env?: NodeJS.ProcessEnv }

// The shell becomes the server, so the child's pid is the server's; a reader of the pipe stays behind beside it.
const endWithPipe = `
exec 3<&0
( cat <&3 >/dev/null; kill -INT $$ ) >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-
`
