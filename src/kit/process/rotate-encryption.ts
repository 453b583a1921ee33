/** Every value that is sealed at rest, column by column. */
export type SealedRows = {
  columns: readonly string[]
  /** Puts some values under the first key; `next` is where to go on. The values themselves stay sealed. */
  rewrapSome(column: string, after: string[] | undefined): Promise<RewrapRound>
  /** How many values other keys still seal. */
  countOthers(column: string): Promise<number>
  /** No other key is needed from here on. */
  forgetOthers(): Promise<void>
}

export type RewrapRound = { rewrapped: number; next: string[] | undefined }

/** `others`: values that some other key still seals after all. */
export type RotatedColumn = { column: string; rewrapped: number; others: number }

/** What is done stays done: it can be broken off and run again, beside programs that read and write the same rows. */
export async function rewrapAll(sealedRows: SealedRows): Promise<RotatedColumn[]> {
  const columns: RotatedColumn[] = []
  for (const column of sealedRows.columns) columns.push(await rewrapColumn(sealedRows, column))
  if (columns.every(({ others }) => others === 0)) await sealedRows.forgetOthers()
  return columns
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
