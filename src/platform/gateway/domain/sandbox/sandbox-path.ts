import { systemFolders } from '../../../../contract/control-plane/runtime.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import type { Mount } from '../workload.ts'

/** The sandbox's own folder or a mount. `folder` is undefined if the mounted storage has been deleted. */
export type Folder = { at: string[]; folder: string | undefined; readOnly: boolean; maxMb?: number | undefined }

export type FileLocation = { folder: string; steps: string[]; readOnly: boolean }

/** Expects a decoded path. Rejects `..` instead of resolving it. */
export function stepsOf(path: string): string[] {
  if (/[\0\\]/.test(path)) throw new Failure('input_invalid', 'The path contains an invalid character.')
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  if (steps.includes('..')) throw new Failure('input_invalid', 'The path must not contain `..`.')
  if (steps.some((step) => Buffer.byteLength(step) > 255) || steps.length > 64) {
    throw new Failure('input_invalid', 'The path is too long.')
  }
  return steps
}

/** Throws below a mount of deleted storage: a write would go to the sandbox's own folder. */
export function locationOf(folders: readonly Folder[], steps: readonly string[]): FileLocation {
  if (isSystem(steps))
    throw new Failure('route_unknown', `/${steps[0]} is a folder of the system: only commands see it.`)
  const inside = folders.filter(({ at }) => at.every((step, index) => steps[index] === step))
  const innermost = inside.reduce((deepest, each) => (each.at.length > deepest.at.length ? each : deepest))
  if (innermost.folder === undefined) {
    throw new Failure('workload_unavailable', `The storage mounted at ${pathOf(innermost.at)} no longer exists.`)
  }
  return { folder: innermost.folder, steps: steps.slice(innermost.at.length), readOnly: innermost.readOnly }
}

export const isGone = (folders: readonly Folder[], steps: readonly string[]): boolean =>
  folders.some(({ at, folder }) => folder === undefined && pathOf(at) === pathOf(steps))

export function mountsBelow(folders: readonly Folder[], steps: readonly string[]): string[] {
  const below = folders.filter(({ at }) => at.length > steps.length && steps.every((step, index) => at[index] === step))
  return [...new Set(below.map(({ at }) => at[steps.length] as string))]
}

type MountPoint = { path: string; location: FileLocation }

/** Locations of mounts in their parent folders; omits mounts of deleted storage. */
export function mountPointsOf(folders: readonly Folder[]): MountPoint[] {
  const there = folders.filter(({ folder }) => folder !== undefined)
  const system = systemFolders.map((name) => ({
    path: `/${name}`,
    location: { ...locationOf(there, []), steps: [name] },
  }))
  const mounts = there.flatMap(({ at }) => {
    const outer = there.filter((each) => each.at.length < at.length)
    return at.length === 0 ? [] : [{ path: pathOf(at), location: locationOf(outer, at) }]
  })
  return [...system, ...mounts]
}

/** Ignores mounts at the root, which would hide the sandbox, and in the system's folders. */
export function foldersOf(own: string, mounts: ReadonlyArray<Mount & Pick<Folder, 'folder' | 'maxMb'>>): Folder[] {
  const mounted = mounts.map(({ mountPath, ...mount }) => ({ ...mount, at: stepsOf(mountPath) }))
  return [{ at: [], folder: own, readOnly: false }, ...mounted.filter(({ at }) => at.length > 0 && !isSystem(at))]
}

/** Folders that only commands see. */
export const systemPaths: readonly string[] = systemFolders.map((name) => `/${name}`)

export const isSystem = ([first = '']: readonly string[]): boolean => systemFolders.includes(first)

export const pathOf = (steps: readonly string[]): string => `/${steps.join('/')}`
