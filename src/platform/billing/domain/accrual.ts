const stepMs = 5 * 60_000

/** Time is billed in steps: short enough to watch a bill grow, long enough to keep events few. */
export const accrualEnd = (now: Date): Date => new Date(Math.floor(now.getTime() / stepMs) * stepMs)

/** A snapshot that is to be measured again. */
export type Snapshot = { meter: number; workspace: string; resourceId: string }

export type Accruals = {
  /** Writes down what is due on some meters up to a time, and says on how many; zero when nothing is left. */
  accrue(until: Date): Promise<number>
  snapshots(): Promise<Snapshot[]>
  setSize(meter: number, megabytes: number): Promise<void>
}

/** What a sandbox keeps, in bytes. */
export type SnapshotSize = (workspace: string, resourceId: string) => Promise<number>
