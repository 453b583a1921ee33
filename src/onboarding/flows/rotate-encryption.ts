import type { Actor } from '../domain/audit/audit.ts'
import type { Audit, SealedRows } from '../domain/ports/shared.ts'

type Needs = { sealedRows: SealedRows; audit: Audit }

/** `others`: values that some other key still seals after all. */
export type RotatedColumn = { column: string; rewrapped: number; others: number }

/** Puts everything that is sealed under the first key, while all goes on. Doing it again changes nothing. */
export const rotateEncryption =
  (needs: Needs) =>
  async (actor: Actor): Promise<RotatedColumn[]> => {
    const columns: RotatedColumn[] = []
    for (const column of needs.sealedRows.columns) columns.push(await rotateColumn(needs, column))
    if (columns.every(({ others }) => others === 0)) await needs.sealedRows.forgetOthers()
    const rewrapped = Object.fromEntries(columns.map(({ column, rewrapped }) => [column, rewrapped]))
    const others = Object.fromEntries(columns.map(({ column, others }) => [column, others]))
    await needs.audit.note({ action: 'key.encryption_rotated', actor, facts: { rewrapped, others } })
    return columns
  }

async function rotateColumn({ sealedRows }: Needs, column: string): Promise<RotatedColumn> {
  let rewrapped = 0
  let next: string[] | undefined
  do {
    const round = await sealedRows.rewrapSome(column, next)
    rewrapped += round.rewrapped
    next = round.next
  } while (next)
  return { column, rewrapped, others: await sealedRows.countOthers(column) }
}
