import { Failure } from '../../../shared/domain/failure.ts'
import type { Mount } from '../workload.ts'

/** The sandbox's own folder or a mount. `folder` is undefined if the mounted storage has been deleted. */
export type Folder = { at: string[]; folder: string | undefined; readOnly: boolean }

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

/** Locations of mounts in their parent folders; omits mounts of deleted storage. */
export function mountPointsOf(folders: readonly Folder[]): Array<{ path: string; location: FileLocation }> {
  const there = folders.filter(({ folder }) => folder !== undefined)
  return there.flatMap(({ at }) => {
    const outer = there.filter((each) => each.at.length < at.length)
    return at.length === 0 ? [] : [{ path: pathOf(at), location: locationOf(outer, at) }]
  })
}

/** Ignores mounts at the root, which would hide the sandbox. */
export function foldersOf(own: string, mounts: ReadonlyArray<Mount & Pick<Folder, 'folder'>>): Folder[] {
  const mounted = mounts.map(({ mountPath, folder, readOnly }) => ({ at: stepsOf(mountPath), folder, readOnly }))
  return [{ at: [], folder: own, readOnly: false }, ...mounted.filter(({ at }) => at.length > 0)]
}

export const pathOf = (steps: readonly string[]): string => `/${steps.join('/')}`
