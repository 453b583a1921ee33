import { StartError } from './start-error.ts'

export type SealedRows = {
  columns: readonly string[]
  /** Rewraps some values for the primary key; `next` is the position to continue at. Values are not decrypted. */
  rewrapSome(column: string, after: string[] | undefined): Promise<{ rewrapped: number; next: string[] | undefined }>
  /** Counts values sealed by other keys. */
  countOthers(column: string): Promise<number>
  /** Keys of connected processes, other than our primary key. */
  otherSealingKeys(): Promise<string[]>
  /** Forgets the other keys, unless a connected process seals by one. */
  forgetOthers(): Promise<void>
}

/** `others`: values still sealed by another key. */
export type RotatedColumn = { column: string; rewrapped: number; others: number }

/** Can be interrupted and rerun. Fails beside a process that seals by another key: its values would be lost. */
export async function rewrapAll(sealedRows: SealedRows): Promise<RotatedColumn[]> {
  await assertNoOtherSeals(sealedRows)
  const columns: RotatedColumn[] = []
  for (const column of sealedRows.columns) columns.push(await rewrapColumn(sealedRows, column))
  if (columns.every(({ others }) => others === 0)) await sealedRows.forgetOthers()
  await assertNoOtherSeals(sealedRows)
  return columns
}

async function assertNoOtherSeals(sealedRows: SealedRows): Promise<void> {
  const others = await sealedRows.otherSealingKeys()
  if (others.length === 0) return
  throw new StartError([
    `a running process seals by the key ${others.join(', ')}, which is not the first of ENCRYPTION_KEYS here:`,
    'start every process with the new key first and the old one behind it, and run this again',
  ])
}

async function rewrapColumn(sealedRows: SealedRows, column: string): Promise<RotatedColumn> {
  let rewrapped = 0
  let next: string[] | undefined
  do {
    const round = await sealedRows.rewrapSome(column, next)
    rewrapped += round.rewrapped
    next = round.next
  } while (next)
  return { column, rewrapped, others: await sealedRows.countOthers(column) }
}
