// A control group of version 2 that was handed over to this program, as systemd does with `Delegate=`.
import { rmdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type MakeFolder, read, write } from './control-group-files.ts'

/** Where the program itself is then, beside the groups of its commands. */
const programGroup = 'program'

const isProgramGroup = (own: string) => basename(own) === programGroup

/** The group in which commands get groups of their own. */
export const parentGroup = (own: string): string => (isProgramGroup(own) ? dirname(own) : own)

/**
 * A group that has processes cannot pass limits on to the groups below it (cgroups(7), "no internal processes"). So the
 * program moves into a group below the one it was started in, unless `DelegateSubgroup=` has put it there.
 */
export function makeRoomForGroups(root: string, own: string, makeFolder: MakeFolder): void {
  const folder = join(root, parentGroup(own))
  if (!isProgramGroup(own)) {
    enter(join(folder, programGroup), makeFolder)
  }
  // Processors may be out of reach where the others are not.
  const hasCpu = read(folder, 'cgroup.controllers').split(/\s/).includes('cpu')
  write(folder, 'cgroup.subtree_control', hasCpu ? '+memory +pids +cpu' : '+memory +pids')
}

function enter(group: string, makeFolder: MakeFolder): void {
  makeFolder(group)
  try {
    write(group, 'cgroup.procs', process.pid)
  } catch (error) {
    rmdirSync(group)
    throw error
  }
}
