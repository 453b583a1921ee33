import { Failure } from '../../../shared/domain/failure.ts'
import type { Mount } from '../workload.ts'

/** A folder that a sandbox sees: its own, or a volume or drive at its mount path. `folder` is undefined if the mounted storage does not exist any more. */
export type Folder = { at: string[]; folder: string | undefined; readOnly: boolean }

/** Where a path leads: a folder on disk and the steps below it. */
export type FileLocation = { folder: string; steps: string[]; readOnly: boolean }

/** The steps of a path inside a sandbox. It is decoded already, once; what climbs is refused and not repaired. */
export function stepsOf(path: string): string[] {
  if (/[\0\\]/.test(path)) throw new Failure('input_invalid', 'The path holds a character that is not allowed.')
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  if (steps.includes('..')) throw new Failure('input_invalid', 'The path must not climb.')
  if (steps.some((step) => Buffer.byteLength(step) > 255) || steps.length > 64) {
    throw new Failure('input_invalid', 'The path is too long.')
  }
  return steps
}

/**
 * The innermost folder that a path is in. Below a mount whose storage is gone there is nothing: the sandbox's own folder
 * would take what was meant for the storage, also where the mount is for reading alone.
 */
export function locationOf(folders: readonly Folder[], steps: readonly string[]): FileLocation {
  const inside = folders.filter(({ at }) => at.every((step, index) => steps[index] === step))
  const innermost = inside.reduce((deepest, each) => (each.at.length > deepest.at.length ? each : deepest))
  if (innermost.folder === undefined) {
    throw new Failure('workload_unavailable', `What is mounted at ${pathOf(innermost.at)} is gone.`)
  }
  return { folder: innermost.folder, steps: steps.slice(innermost.at.length), readOnly: innermost.readOnly }
}

/** Whether a path is that of a mount whose storage is gone. */
export const isGone = (folders: readonly Folder[], steps: readonly string[]): boolean =>
  folders.some(({ at, folder }) => folder === undefined && pathOf(at) === pathOf(steps))

/** Names of mounted folders directly below a path: they are there although nothing on disk says so. */
export function mountsBelow(folders: readonly Folder[], steps: readonly string[]): string[] {
  const below = folders.filter(({ at }) => at.length > steps.length && steps.every((step, index) => at[index] === step))
  return [...new Set(below.map(({ at }) => at[steps.length] as string))]
}

/** Where mounts are in the folders that they stand in; storage that is gone is mounted nowhere. */
export function mountPointsOf(folders: readonly Folder[]): Array<{ path: string; location: FileLocation }> {
  const there = folders.filter(({ folder }) => folder !== undefined)
  return there.flatMap(({ at }) => {
    const outer = there.filter((each) => each.at.length < at.length)
    return at.length === 0 ? [] : [{ path: pathOf(at), location: locationOf(outer, at) }]
  })
}

/** Mounts at the root would hide the sandbox itself, and two at one path each other: the first one wins. */
export function foldersOf(own: string, mounts: ReadonlyArray<Mount & Pick<Folder, 'folder'>>): Folder[] {
  const mounted = mounts.map(({ mountPath, folder, readOnly }) => ({ at: stepsOf(mountPath), folder, readOnly }))
  return [{ at: [], folder: own, readOnly: false }, ...mounted.filter(({ at }) => at.length > 0)]
}

export const pathOf = (steps: readonly string[]): string => `/${steps.join('/')}`
