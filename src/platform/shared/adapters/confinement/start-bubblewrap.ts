import { constants, setPriority } from 'node:os'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import {
  accountFiles,
  bubblewrapArguments,
  type ConfinedCommand,
  countArguments,
  gateDescriptor,
  limitedInside,
  mountedFolders,
  startedDescriptor,
} from './bubblewrap.ts'
import type { ControlGroup } from './control-group.ts'
import type { CountDisk } from './disk.ts'
import { receiveDoor, trustDescriptor } from './door.ts'
import { expectedMounts } from './expected-mounts.ts'
import { type Child, passTo, spawnChild } from './spawn-child.ts'

export const programPath = [
  ...new Set([dirname(process.execPath), '/run/node/bin', '/usr/local/bin', '/usr/bin', '/bin']),
].join(':')

/**
 * The command waits until it is in its control group. If this process ends first, the gate stays shut. If it ends later,
 * the kernel kills bubblewrap and everything inside.
 */
const gate = `read -r _ <&${gateDescriptor} || exit 1; exec "$@" ${gateDescriptor}<&-`

export type Bubblewrap = { program: string; filter: Buffer | undefined }

export function startBubblewrap({ program, filter }: Bubblewrap, confined: ConfinedCommand, hasGroup: boolean): Child {
  const passedArguments = bubblewrapArguments(confined, filter !== undefined)
  // It ends an argument: the rest of a variable or folder would be options.
  if (passedArguments.some((each) => each.includes('\0'))) throw new Error('an argument has a NUL character')
  const mounts = expectedMounts(mountedFolders(confined.folders))
  const child = spawnChild(
    [gate, 'gate', program, '--args', '3', '--', ...limitedInside(confined, mounts, hasGroup)],
    { cwd: '/', env: { PATH: programPath } },
    startedDescriptor + 1,
    confined.door ? ['ipc', 'pipe'] : [],
  )
  if (confined.door) {
    receiveDoor(child, confined.door)
    passTo(child, trustDescriptor, confined.door.trust)
  }
  const passed = [`${passedArguments.join('\0')}\0`, filter ?? '', accountFiles.passwd, accountFiles.group]
  for (const [at, content] of passed.entries()) passTo(child, 3 + at, content)
  return yielding(child)
}

/** Counts in another process, so that large folders don't delay the platform. */
export const countDiskBy =
  (program: string): CountDisk =>
  async (folders, enoughMb) => {
    const options = { cwd: '/', env: { PATH: programPath } }
    const child = yielding(
      spawnChild(['exec "$@"', 'count', program, ...countArguments(folders, enoughMb)], options, 3),
    )
    child.stdin.destroy()
    child.stderr.resume()
    const counted = await text(child.stdout)
    return counted === '' ? undefined : Number(counted)
  }

/** Child processes inherit the priority. Without a CPU limit, it keeps the platform responsive. */
export function yielding(child: Child): Child {
  try {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Already ended.
  }
  return child
}

/** Kills a command that can't be put into its group: it must not run without limits. */
export function openGate(child: Child, group: ControlGroup | undefined): void {
  try {
    group?.add(child.pid)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  passTo(child, gateDescriptor, '\n')
}

/** Reads once: later writes to the descriptor come from the command. */
export function onStart(child: Child, act: () => void): void {
  const pipe = (child.stdio as ReadonlyArray<unknown>)[startedDescriptor] as Readable
  pipe.on('error', ignoreError('it was closed from the other side'))
  pipe.once('data', () => {
    act()
    pipe.destroy()
  })
}
