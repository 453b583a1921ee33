import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'

/** If the platform runs as root, commands of tenants run as `nobody`. */
export const commandAccount = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

export type Child = ChildProcess & { pid: number; stdin: Writable; stdout: Readable; stderr: Readable }

/** Throws if the process can't be started, for example with too many open files or too large variables. */
export function spawnChild(
  script: readonly string[],
  options: SpawnOptions,
  pipes: number,
  further: ReadonlyArray<'pipe' | 'ipc'> = [],
): Child {
  const stdio = withoutInherited([...Array(pipes).fill('pipe'), ...further])
  const child = spawn('/bin/sh', ['-c', ...script], { ...commandAccount, ...options, stdio })
  // An unhandled error event would end the program.
  child.on('error', ignoreError('it has no process id then, or it was ended already'))
  if (child.pid === undefined) throw new Error('the system started no process')
  return child as Child
}

export function passTo({ stdio }: Child, descriptor: number, content: string | Buffer): void {
  const pipe = stdio[descriptor] as Writable
  pipe.on('error', ignoreError('a process may end without reading what it is passed'))
  pipe.end(content)
}

/**
 * Replaces descriptors inherited from our parent without close-on-exec, such as a log or a socket, with /dev/null. The
 * command would inherit them otherwise.
 */
function withoutInherited(stdio: Array<'pipe' | 'ipc'>): Array<'pipe' | 'ipc' | 'ignore' | number> {
  const all: Array<'pipe' | 'ipc' | 'ignore' | number> = [...stdio]
  if (!existsSync('/proc/self/fd')) return all
  for (const name of readdirSync('/proc/self/fd')) {
    const descriptor = Number(name)
    if (descriptor < stdio.length || isClosedOnStart(descriptor)) continue
    while (all.length < descriptor) all.push('ignore')
    all[descriptor] = devNull()
  }
  return all
}

const closeOnExec = 0o2000000

function isClosedOnStart(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & closeOnExec) !== 0
  } catch {
    // Closed in the meantime.
    return true
  }
}

let opened: number | undefined
function devNull(): number {
  opened ??= openSync('/dev/null', 'r')
  return opened
}
