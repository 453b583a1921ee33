import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'

export type Child = ChildProcess & { pid: number; stdin: Writable; stdout: Readable; stderr: Readable }

/** Throws if the system does not start it: too many open files or processes, or more variables than it takes. */
export function spawnChild(program: string, args: readonly string[], options: SpawnOptions): Child {
  const child = spawn(program, args, options)
  // The same is said by an event, and one that nobody hears ends the program.
  child.on('error', ignoreError('it has no process id then, or it was ended already'))
  if (child.pid === undefined) throw new Error('the system started no process')
  return child as Child
}

/** Writes to a descriptor that was passed beside stdin, stdout and stderr. */
export function passTo({ stdio }: Child, descriptor: number, content: string | Buffer): void {
  const pipe = stdio[descriptor] as Writable
  pipe.on('error', ignoreError('a process may end without reading what it is passed'))
  pipe.end(content)
}
