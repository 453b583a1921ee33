import { type Accruals, accrualEnd, type SnapshotSize } from '../domain/accrual.ts'

type Needs = { accruals: Accruals; snapshotSize: SnapshotSize; now: () => Date }

const bytesInMegabyte = 1024 * 1024

/** Bills the time that has passed, however long that is, and then looks how large snapshots have become. */
export const accrue =
  ({ accruals, snapshotSize, now }: Needs) =>
  async (): Promise<void> => {
    const until = accrualEnd(now())
    let written = 0
    for (let some = await accruals.accrue(until); some > 0; some = await accruals.accrue(until)) written += some
    if (written === 0) return
    for (const { meter, workspace, resourceId } of await accruals.snapshots()) {
      const bytes = await snapshotSize(workspace, resourceId)
      await accruals.setSize(meter, bytes / bytesInMegabyte)
    }
  }
