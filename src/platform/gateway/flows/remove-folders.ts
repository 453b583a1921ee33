import type { RemovedFolders, SandboxFiles } from '../domain/sandbox/sandbox.ts'

type Needs = { removedFolders: RemovedFolders; files: Pick<SandboxFiles, 'discard'>; now: () => Date }

/** A deletion is dated by its beginning, and clocks differ: what is this old is looked at once more. */
const overlapMs = 10 * 60_000

/**
 * Removes the folders of what was deleted: here, by a process that died before it came to this, or with its workspace.
 * Every machine has a disk of its own and looks for itself; a new process looks at all that is known.
 */
export const removeFolders = ({ removedFolders, files, now }: Needs) => {
  let doneUntil = new Date(0)
  return async (): Promise<void> => {
    const startedAt = now()
    for (const folder of await removedFolders.since(doneUntil)) await files.discard(folder)
    await removedFolders.sweep()
    doneUntil = new Date(startedAt.getTime() - overlapMs)
  }
}
