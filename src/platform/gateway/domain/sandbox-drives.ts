import { Failure } from '../../shared/domain/failure.ts'
import { pathOf, stepsOf } from './sandbox-path.ts'
import type { Mount, Workload } from './workload.ts'

const mostDrives = 50

type Mounted = Pick<Workload, 'volumes' | 'drives'>

/** The drives of a sandbox with one more. The same once more changes nothing, so it can be asked again. */
export function withDrive({ volumes, drives }: Mounted, mount: Mount): Mount[] {
  const others = drives.filter((each) => !(isAt(each, mount.mountPath) && each.name === mount.name))
  if ([...volumes, ...others].some((each) => isAt(each, mount.mountPath))) {
    throw new Failure('resource_in_use', `Something else is mounted at ${normal(mount.mountPath)}.`)
  }
  if (others.length >= mostDrives) throw new Failure('input_invalid', `A sandbox has at most ${mostDrives} drives.`)
  return [...others, mount]
}

export function withoutDrive({ drives }: Mounted, path: string): Mount[] {
  const others = drives.filter((each) => !isAt(each, path))
  if (others.length === drives.length) throw new Failure('resource_unknown', `No drive is mounted at ${normal(path)}.`)
  return others
}

const normal = (path: string) => pathOf(stepsOf(path))

const isAt = ({ mountPath }: Mount, path: string) => normal(mountPath) === normal(path)
