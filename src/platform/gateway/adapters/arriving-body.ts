import type { Bytes, Sink } from '../domain/workload.ts'

type Source = { pause(): void; resume(): void; abort(reason: Error): void }

const maxBufferedBytes = 256 * 1024

/** Passes on a response body without a stream object: creating one costs as much as the rest of a small response. */
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

  passTo(sink: Sink): void {
    this.#sink = sink
    const last = this.#ended ? this.#buffered.pop() : undefined
    for (const chunk of this.#buffered.splice(0)) this.#write(sink, chunk)
    if (this.#broken) sink.destroy()
    else if (this.#ended) sink.end(last)
    else if (this.#bufferedBytes >= maxBufferedBytes && !sink.writableNeedDrain) this.#source.resume()
  }

  #hold(chunk: Uint8Array): void {
    this.#buffered.push(chunk)
    this.#bufferedBytes += chunk.length
    if (this.#bufferedBytes >= maxBufferedBytes) this.#source.pause()
    this.#wake()
  }

  #write(sink: Sink, chunk: Uint8Array): void {
    if (sink.write(chunk)) return
    this.#source.pause()
    sink.once('drain', () => this.#source.resume())
  }

  /** A reader that stops, or never starts, aborts the source. A paused source would stay open forever. */
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
    if (this.#bufferedBytes < maxBufferedBytes) this.#source.resume()
    return chunk
  }
}
