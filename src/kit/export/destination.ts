export type ExportedRecord = {
  /** Stable, so that a receiver recognizes a record that is sent again. */
  id: string
  /** Microseconds since 1970, if the record has a time. */
  atMicros: bigint | undefined
  attributes: Readonly<Record<string, string>>
  /** JSON without line breaks. */
  line: string
}

/** The records between two positions of the stream, or a part of them. */
export type ExportBatch = { after: number; through: number; part: number; records: readonly ExportedRecord[] }

export type ExportDestination = {
  name: string
  /** Between two batches that are not full. */
  pauseSeconds: number
  /** Larger batches are sent in parts. */
  maxBytes?: number
  /** Resolves when the receiver has the batch. `rejected`: records of it that the receiver will never take. */
  send(batch: ExportBatch): Promise<{ rejected: number }>
}

/** What the receiver answered, without its content. */
export class ExportRefused extends Error {
  constructor(
    message: string,
    readonly retryAfterSeconds?: number | undefined,
  ) {
    super(message)
  }
}
