import type { RemovedFolders, SandboxFiles } from '../domain/sandbox/sandbox.ts'

type Needs = { removedFolders: RemovedFolders; files: Pick<SandboxFiles, 'discard'>; now: () => Date }

/** Deletions are dated by the start of their transaction and clocks differ, so the sweep overlaps. */
const overlapMs = 10 * 60_000

/** Each machine cleans its own disk. A new process checks all deletions, which an earlier one may have missed. */
export const removeFolders = ({ removedFolders, files, now }: Needs) => {
  let doneUntil = new Date(0)
  return async (): Promise<void> => {
    const startedAt = now()
    for (const folder of await removedFolders.since(doneUntil)) await files.discard(folder)
    await removedFolders.sweep()
    doneUntil = new Date(startedAt.getTime() - overlapMs)
  }
}
