import { StartError } from './start-error.ts'

/** Every value that is sealed at rest, column by column. */
export type SealedRows = {
  columns: readonly string[]
  /** Puts some values under the first key; `next` is where to go on. The values themselves stay sealed. */
  rewrapSome(column: string, after: string[] | undefined): Promise<RewrapRound>
  /** How many values other keys still seal. */
  countOthers(column: string): Promise<number>
  /** The keys that processes which are connected now seal by, if that is not the first here. */
  otherSealingKeys(): Promise<string[]>
  /** No other key is needed from here on, unless a process is connected that seals by one. */
  forgetOthers(): Promise<void>
}

export type RewrapRound = { rewrapped: number; next: string[] | undefined }

/** `others`: values that some other key still seals after all. */
export type RotatedColumn = { column: string; rewrapped: number; others: number }

/**
 * What is done stays done: it can be broken off and run again, beside programs that read and write the same rows. It is
 * refused beside one that seals by another key: what that writes next would be lost with the key.
 */
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
    `a process is running that seals by the key ${others.join(', ')}, which is not the first of ENCRYPTION_KEYS here:`,
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
