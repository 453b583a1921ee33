import { createHash } from 'node:crypto'
import type { Workload } from './workload.ts'

/** What a revision of a workload needs to answer. */
export type Divided<T> = T & { canary?: T | undefined }

export const divided = <T extends object>(workload: Workload, open: (revision: Workload) => T): Divided<T> => ({
  ...open(workload),
  canary: workload.canary && open(workload.canary.workload),
})

/** `revision` is what its cookie names. */
export type Session = { thread?: string | undefined; revision?: string | undefined }

/** Sessions stay with a revision only while it gets requests. `dice` is from 0 to 1. */
export function isForCanary(workload: Workload, { thread, revision }: Session, dice: number): boolean {
  const { canary, stickySeconds = 0 } = workload
  if (!canary) return false
  const isSticky = stickySeconds > 0
  if (isSticky && thread === undefined && revision === canary.workload.revision) return true
  if (isSticky && thread === undefined && revision === workload.revision) return false
  const share = isSticky && thread !== undefined ? shareOf(workload.id, thread) : dice
  return share * 100 < canary.percent
}

/** The same for a thread in every process. A thread of the canary stays there when its percentage grows. */
const shareOf = (id: string, thread: string): number =>
  createHash('sha256').update(`${id} ${thread}`).digest().readUInt32BE(0) / 2 ** 32
