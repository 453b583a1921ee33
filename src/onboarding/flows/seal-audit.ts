import type { Ports } from '../domain/ports/ports.ts'

/** Sealing delays requests, so a batch is small. */
const atOnce = 250

/** Longer than writes take, shorter than a statement may. What still runs then is waited for in the next round. */
const maxPauses = 100
const pauseMs = 20

/**
 * Entries are sealed in order of their IDs, once no transaction can add an earlier one. Links never wait for it.
 * Returns how many were sealed.
 */
export async function sealAudit({ auditSealer, pause }: Pick<Ports, 'auditSealer' | 'pause'>): Promise<number> {
  const { until, isSealed, writers } = await auditSealer.writesUnderWay()
  if (isSealed) return 0
  let left = writers
  for (let pauses = 0; left.length > 0; pauses++) {
    left = await auditSealer.stillWriting(left)
    if (left.length === 0) break
    if (pauses === maxPauses) return 0
    await pause(pauseMs)
  }
  let sealed = 0
  for (;;) {
    const count = await auditSealer.sealNext(until, atOnce)
    if (count === undefined) return sealed
    sealed += count
  }
}
