import type { BillingPorts } from '../domain/ports.ts'

const stepMs = 5 * 60_000
const bytesInMegabyte = 1024 * 1024

/** Time is billed in steps: short enough to see costs grow, long enough to limit the number of events. */
export async function accrue({
  accruals,
  snapshotSize,
  imageSize,
  now,
}: Pick<BillingPorts, 'accruals' | 'snapshotSize' | 'imageSize' | 'now'>): Promise<void> {
  for (const image of await accruals.unmeasuredImages()) {
    const bytes = await imageSize(image)
    if (bytes !== undefined) await accruals.setImageSize(image, bytes / bytesInMegabyte)
  }
  const until = new Date(Math.floor(now().getTime() / stepMs) * stepMs)
  let written = 0
  for (let some = await accruals.accrue(until); some > 0; some = await accruals.accrue(until)) written += some
  if (written === 0) return
  for (const { meter, workspace, resourceId } of await accruals.snapshots()) {
    const bytes = await snapshotSize(workspace, resourceId)
    await accruals.setSize(meter, bytes / bytesInMegabyte)
  }
}
