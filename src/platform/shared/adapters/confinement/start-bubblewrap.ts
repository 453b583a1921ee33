// Starts a command in bubblewrap, held back until its control group is set.

import { constants, setPriority } from 'node:os'
import { dirname } from 'node:path'
import { commandAccount } from './account.ts'
import {
  accountFiles,
  bubblewrapArguments,
  type ConfinedCommand,
  gateDescriptor,
  limitedInside,
  mountedFolders,
  startedDescriptor,
} from './bubblewrap.ts'
import type { ControlGroup } from './control-group-files.ts'
import { expectedMounts } from './expected-mounts.ts'
import { withoutInherited } from './inherited-descriptors.ts'
import { type Child, passTo, spawnChild } from './spawn-child.ts'

/** Where programs are looked for, inside and outside. */
export const programPath = [...new Set([dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'])].join(':')

/**
 * It waits at a gate until it is in its control group. When this process ends before that the gate stays shut; when it
 * ends later, however that happens, the kernel ends bubblewrap and with it everything inside.
 */
const gate = `read -r _ <&${gateDescriptor} || exit 1; exec "$@" ${gateDescriptor}<&-`

export type Bubblewrap = { program: string; filter: Buffer | undefined }

export function startBubblewrap({ program, filter }: Bubblewrap, confined: ConfinedCommand): Child {
  const mounts = expectedMounts(mountedFolders(confined.folders))
  const child = spawnChild(
    '/bin/sh',
    ['-c', gate, 'gate', program, '--args', '3', '--', ...limitedInside(confined.command, mounts)],
    {
      ...commandAccount,
      cwd: '/',
      env: { PATH: programPath },
      stdio: withoutInherited(Array(startedDescriptor + 1).fill('pipe')),
    },
  )
  const passed = [
    `${bubblewrapArguments(confined, filter !== undefined).join('\0')}\0`,
    filter ?? '',
    accountFiles.passwd,
    accountFiles.group,
  ]
  for (const [at, content] of passed.entries()) passTo(child, 3 + at, content)
  return yielding(child)
}

/** Whatever it starts inherits this. Where no control group limits its processors, it is what keeps the platform answering. */
export function yielding(child: Child): Child {
  try {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It ended already.
  }
  return child
}

/** Ended where it cannot be put into its group: without limits it must not run. */
export function openGate(child: Child, group: ControlGroup | undefined): void {
  try {
    group?.add(child.pid)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  passTo(child, gateDescriptor, '\n')
}
