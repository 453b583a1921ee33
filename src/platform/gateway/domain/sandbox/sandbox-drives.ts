import { Failure } from '../../../shared/domain/failure.ts'
import type { Mount, Workload } from '../workload.ts'
import { pathOf, stepsOf } from './sandbox-path.ts'

const mostDrives = 50

type MountedDrive = Pick<Workload, 'volumes' | 'drives'>

/** The drives of a sandbox with one more; those it has, when it is one of them: it can be asked for again. */
export function withDrive({ volumes, drives }: MountedDrive, mount: Mount): Mount[] {
  const there = [...drives, ...volumes].find((each) => isAt(each, mount.mountPath))
  if (there && drives.includes(there) && there.name === mount.name && there.readOnly === mount.readOnly) return drives
  if (there) throw new Failure('resource_in_use', `Something is mounted at ${normal(mount.mountPath)} already.`)
  if (drives.length >= mostDrives) throw new Failure('input_invalid', `A sandbox has at most ${mostDrives} drives.`)
  return [...drives, mount]
}

export function withoutDrive({ drives }: MountedDrive, path: string): Mount[] {
  const others = drives.filter((each) => !isAt(each, path))
  if (others.length === drives.length) throw new Failure('route_unknown', `No drive is mounted at ${normal(path)}.`)
  return others
}

const normal = (path: string) => pathOf(stepsOf(path))

const isAt = ({ mountPath }: Mount, path: string) => normal(mountPath) === normal(path)
