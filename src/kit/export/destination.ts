export type ExportedRecord = {
  /** Stable, so that a receiver recognizes a record that is sent again. */
  id: string
  /** Microseconds since 1970, if the record has a time. */
  atMicros: bigint | undefined
  attributes: Readonly<Record<string, string>>
  /** JSON without line breaks. */
  line: string
}

/** `after`: the position that was exported before. */
export type ExportBatch = { after: number; records: readonly ExportedRecord[] }

export type ExportDestination = {
  name: string
  /** Between two batches that are not full. */
  pauseSeconds: number
  /** Resolves when the receiver has the batch. */
  send(batch: ExportBatch): Promise<void>
}

/** What the receiver answered, without its content. */
export class ExportRefused extends Error {}
