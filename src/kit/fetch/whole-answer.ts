// One HTTP call whose small answer is read whole. The library's own way makes a stream of every answer, which costs
// more than everything else about a short one.
import type { Dispatcher } from 'undici'
import { stallProofTimeout } from '../process/stall-proof-timeout.ts'

export type WholeAnswer = { status: number; headers: AnswerHeaders; body: Buffer }

export type AnswerHeaders = Record<string, string | string[] | undefined>

export type WholeCall = Dispatcher.DispatchOptions & {
  /** The limit for the whole exchange, waiting for a connection included: `unsent` is said when that took it all. */
  limit?: { ms: number; reason(): Error; unsent(): Error }
  /** Counted as bytes arrive: the connection is cut, and hardly more than this is ever in memory. */
  size?: { bytes: number; reason(): Error }
  /** Told what had arrived of an answer that broke off, before the call fails. */
  onPartial?: (partial: WholeAnswer) => void
}

export const wholeAnswer = (dispatcher: Dispatcher, whole: WholeCall): Promise<WholeAnswer> =>
  new Promise((resolve, reject) => {
    const { limit, size, onPartial, ...call } = whole
    dispatcher.dispatch(call, new Collector(resolve, reject, { limit, size, onPartial }))
  })

type Bounds = { [Name in 'limit' | 'size' | 'onPartial']: WholeCall[Name] | undefined }

class Collector implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: WholeAnswer) => void
  readonly #reject: (error: Error) => void
  readonly #clear: (() => void) | undefined
  readonly #size: WholeCall['size']
  readonly #onPartial: WholeCall['onPartial']
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #controller: Dispatcher.DispatchController | undefined
  #gaveUp: Error | undefined
  #status = 0
  #headers: AnswerHeaders = {}

  constructor(resolve: (answer: WholeAnswer) => void, reject: (error: Error) => void, bounds: Bounds) {
    const { limit, size, onPartial } = bounds
    this.#resolve = resolve
    this.#reject = reject
    this.#size = size
    this.#onPartial = onPartial
    this.#clear = limit && stallProofTimeout(limit.ms, () => this.#giveUp(limit))
  }

  #giveUp({ reason, unsent }: NonNullable<WholeCall['limit']>) {
    if (this.#controller) return this.#controller.abort(reason())
    this.#gaveUp = unsent()
    this.#reject(this.#gaveUp)
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#gaveUp) controller.abort(this.#gaveUp) // the caller was told that nothing was sent
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders) {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    const room = (this.#size?.bytes ?? Number.POSITIVE_INFINITY) - this.#bytes
    this.#bytes += chunk.length
    if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    if (this.#size && chunk.length > room) controller.abort(this.#size.reason())
  }

  onResponseEnd() {
    this.#clear?.()
    this.#resolve(this.#answer())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    this.#clear?.()
    if (this.#bytes > 0) this.#onPartial?.(this.#answer())
    this.#reject(error)
  }

  #answer(): WholeAnswer {
    const [first, ...others] = this.#chunks
    const body = first && others.length === 0 ? first : Buffer.concat(this.#chunks)
    return { status: this.#status, headers: this.#headers, body }
  }
}
