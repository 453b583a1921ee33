import type { Bytes, Sink } from '../domain/workload.ts'

/** The source of the body, which can be paused. */
type Source = { pause(): void; resume(): void; abort(reason: Error): void }

/** So much is buffered until the body is read; then the source is paused. */
const bufferLimit = 256 * 1024

/**
 * The body of an answer as it comes off the wire, without a stream object around it: for the small answers that most
 * are, making one costs as much as all the rest. A small answer is whole before anybody takes it, and goes out at once.
 */
export class ArrivingBody implements Bytes {
  readonly #source: Source
  readonly #buffered: Uint8Array[] = []
  #bufferedBytes = 0
  #ended = false
  #broken: Error | undefined
  #sink: Sink | undefined
  #wake = () => {}

  constructor(source: Source) {
    this.#source = source
  }

  add(chunk: Uint8Array): void {
    if (this.#sink) this.#write(this.#sink, chunk)
    else this.#hold(chunk)
  }

  end(): void {
    this.#ended = true
    if (this.#sink) this.#sink.end()
    this.#wake()
  }

  fail(error: Error): void {
    this.#broken = error
    if (this.#sink) this.#sink.destroy()
    this.#wake()
  }

  /** No faster than the sink takes it; an answer that breaks off breaks off there too. */
  passTo(sink: Sink): void {
    this.#sink = sink
    const last = this.#ended ? this.#buffered.pop() : undefined
    for (const chunk of this.#buffered.splice(0)) this.#write(sink, chunk)
    if (this.#broken) sink.destroy()
    else if (this.#ended) sink.end(last)
    else if (this.#bufferedBytes >= bufferLimit && !sink.writableNeedDrain) this.#source.resume()
  }

  #hold(chunk: Uint8Array): void {
    this.#buffered.push(chunk)
    this.#bufferedBytes += chunk.length
    if (this.#bufferedBytes >= bufferLimit) this.#source.pause()
    this.#wake()
  }

  #write(sink: Sink, chunk: Uint8Array): void {
    if (sink.write(chunk)) return
    this.#source.pause()
    sink.once('drain', () => this.#source.resume())
  }

  /** Whoever stops reading, or does not begin, ends the source: one that is only paused would be kept open for ever. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const pieces = this.#pieces()
    return {
      next: () => pieces.next(),
      return: () => {
        this.#leave()
        return pieces.return(undefined)
      },
    }
  }

  #leave(): void {
    if (!this.#ended) this.#source.abort(new Error('the reader is gone'))
  }

  async *#pieces(): AsyncGenerator<Uint8Array, undefined> {
    try {
      for (;;) {
        const chunk = this.#buffered.shift()
        if (chunk) yield this.#taken(chunk)
        else if (this.#broken) throw this.#broken
        else if (this.#ended) return undefined
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.#leave()
    }
  }

  #taken(chunk: Uint8Array): Uint8Array {
    this.#bufferedBytes -= chunk.length
    if (this.#bufferedBytes < bufferLimit) this.#source.resume()
    return chunk
  }
}
