// One HTTP call whose small answer is read whole. The library's own way makes a stream of every answer, which costs
// more than everything else about a short one.
import type { Dispatcher } from 'undici'
import { stallProofTimeout } from '../process/stall-proof-timeout.ts'

export type WholeAnswer = { status: number; headers: AnswerHeaders; body: Buffer }

export type AnswerHeaders = Record<string, string | string[] | undefined>

export type WholeCall = Dispatcher.DispatchOptions & {
  /** The limit for the whole exchange, waiting for a connection included: `unsent` is said when that took it all. */
  limit?: { ms: number; reason(): Error; unsent(): Error }
}

export const wholeAnswer = (dispatcher: Dispatcher, { limit, ...call }: WholeCall): Promise<WholeAnswer> =>
  new Promise((resolve, reject) => {
    dispatcher.dispatch(call, new Collector(resolve, reject, limit))
  })

class Collector implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: WholeAnswer) => void
  readonly #reject: (error: Error) => void
  readonly #clear: (() => void) | undefined
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #gaveUp: Error | undefined
  #status = 0
  #headers: AnswerHeaders = {}

  constructor(resolve: (answer: WholeAnswer) => void, reject: (error: Error) => void, limit: WholeCall['limit']) {
    this.#resolve = resolve
    this.#reject = reject
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

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer) {
    this.#chunks.push(chunk)
  }

  onResponseEnd() {
    this.#clear?.()
    const [first, ...others] = this.#chunks
    const body = first && others.length === 0 ? first : Buffer.concat(this.#chunks)
    this.#resolve({ status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    this.#clear?.()
    this.#reject(error)
  }
}
