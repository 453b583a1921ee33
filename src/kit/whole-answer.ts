// One HTTP call whose small answer is read whole. The library's own way makes a stream of every answer, which costs
// more than everything else about a short one.
import type { Dispatcher } from 'undici'

export type WholeAnswer = { status: number; headers: AnswerHeaders; body: Buffer }

export type AnswerHeaders = Record<string, string | string[] | undefined>

export type WholeCall = Dispatcher.DispatchOptions & {
  /** The limit for the whole exchange: a byte a second keeps the library's own timers happy. */
  limit?: { ms: number; reason: Error }
}

export const wholeAnswer = (dispatcher: Dispatcher, { limit, ...call }: WholeCall): Promise<WholeAnswer> =>
  new Promise((resolve, reject) => {
    dispatcher.dispatch(call, new Collector(resolve, reject, limit))
  })

class Collector implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: WholeAnswer) => void
  readonly #reject: (error: Error) => void
  readonly #timer: NodeJS.Timeout | undefined
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #late: Error | undefined
  #status = 0
  #headers: AnswerHeaders = {}

  constructor(resolve: (answer: WholeAnswer) => void, reject: (error: Error) => void, limit: WholeCall['limit']) {
    this.#resolve = resolve
    this.#reject = reject
    this.#timer = limit && setTimeout(() => this.#giveUp(limit.reason), limit.ms)
  }

  #giveUp(reason: Error) {
    this.#late = reason
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#late) controller.abort(this.#late) // it waited for a connection all the time, and is not sent at all
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders) {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer) {
    this.#chunks.push(chunk)
  }

  onResponseEnd() {
    clearTimeout(this.#timer)
    const [first, ...others] = this.#chunks
    const body = first && others.length === 0 ? first : Buffer.concat(this.#chunks)
    this.#resolve({ status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    clearTimeout(this.#timer)
    this.#reject(error)
  }
}
