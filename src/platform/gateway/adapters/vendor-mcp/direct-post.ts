// One message to a vendor's server, and what it answers as it arrives. The library's own way, by the web's Request and
// Response, makes streams and signals for each.
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { Dispatcher } from 'undici'
import type { GuardedDispatchers } from '../../../../kit/fetch/guarded-fetch.ts'
import type { AnswerHeaders } from '../../../../kit/fetch/whole-answer.ts'
import { AddressBlocked, AnswerTooLarge, ThirdPartyError } from '../../domain/connection.ts'
import { userAgent } from '../refresh-request.ts'
import { describeFetchError, largestAnswer, largestMessage, sinceEmptyLine } from './bounded-fetch.ts'
import { eventLines } from './event-lines.ts'

export type DirectAnswer = {
  status: number
  headers: AnswerHeaders
  /** Of whatever is no stream of events. */
  body: Buffer
  /** There if it was one. */
  stream: EndedStream | undefined
}

/** With the id of its last event the rest can be asked for, not before `retryMs` have passed. */
export type EndedStream = { lastEventId: string | undefined; retryMs: number | undefined; brokeOff: boolean }

type Message = { headers: Record<string, string>; body: string; onData(data: string): void }

/** `endSoon`: what was waited for has come. A stream then ends by itself, and its connection is of use again, or is cut. */
export type RunningPost = { answer: Promise<DirectAnswer>; abort(): void; endSoon(): void }

const endsWithinMs = 1_000

/** Timers take no more: a longer pause would be none. */
const longestRetryMs = 2 ** 31 - 1

export type DirectPost = (url: URL, message: Message) => RunningPost

export const directPost =
  (dispatchers: GuardedDispatchers): DirectPost =>
  (url, { headers, body, onData }) => {
    const dispatcher = dispatchers.for(url)
    if (!dispatcher) throw new AddressBlocked(url.host)
    const call: Dispatcher.DispatchOptions = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': userAgent },
      body,
    }
    const reader = new AnswerReader(onData)
    const answer = new Promise<DirectAnswer>((resolve, reject) => {
      reader.onEnd = { resolve, reject: (error) => reject(describeFetchError(error, url)) }
      dispatcher.dispatch(call, reader)
    })
    return { answer, abort: () => reader.abort(), endSoon: () => reader.endSoon() }
  }

class AnswerReader implements Dispatcher.DispatchHandler {
  onEnd: { resolve(answer: DirectAnswer): void; reject(error: Error): void } | undefined
  readonly #onData: Message['onData']
  #controller: Dispatcher.DispatchController | undefined
  #isAborted = false
  #isOver = false
  #ending: NodeJS.Timeout | undefined
  #status = 0
  #headers: AnswerHeaders = {}
  readonly #chunks: Buffer[] = []
  #all = 0
  #event = 0
  #stream: EndedStream | undefined
  #readEvents: ((piece: Buffer) => void) | undefined

  constructor(onData: Message['onData']) {
    this.#onData = onData
  }

  abort() {
    this.#isAborted = true
    this.#controller?.abort(notWanted())
  }

  endSoon() {
    if (!this.#isOver) this.#ending ??= setTimeout(() => this.abort(), endsWithinMs).unref()
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#isAborted) controller.abort(notWanted())
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders) {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    if (String(headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
      return controller.abort(new ThirdPartyError('It answered in an encoding that it was not asked for.'))
    const isStream = status === 200 && String(headers['content-type'] ?? '').startsWith('text/event-stream')
    if (isStream) this.#startStream()
  }

  #startStream() {
    const stream: EndedStream = { lastEventId: undefined, retryMs: undefined, brokeOff: false }
    const onEvent = ({ event = 'message', data, id }: EventSourceMessage) => {
      if (id) stream.lastEventId = id
      if (data !== '' && event === 'message') this.#onData(data)
    }
    const onRetry = (ms: number) => {
      if (ms <= longestRetryMs) stream.retryMs = ms
    }
    const utf8 = new TextDecoder()
    const linesOf = eventLines()
    const events = createParser({ onEvent, onRetry })
    this.#readEvents = (piece) => events.feed(utf8.decode(linesOf(piece), { stream: true }))
    this.#stream = stream
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    this.#all += chunk.length
    this.#event = sinceEmptyLine(chunk) ?? this.#event + chunk.length
    const isTooLarge = this.#stream
      ? this.#event > largestMessage || this.#all > largestAnswer
      : this.#all > largestMessage
    if (isTooLarge) return controller.abort(new AnswerTooLarge('4 MB'))
    if (this.#readEvents) this.#readEvents(chunk)
    else this.#chunks.push(chunk)
  }

  onResponseEnd() {
    this.#end()
    this.onEnd?.resolve(this.#answer())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    this.#end()
    if (!this.#stream || error instanceof ThirdPartyError) return this.onEnd?.reject(error)
    this.#stream.brokeOff = true
    this.onEnd?.resolve(this.#answer())
  }

  #end() {
    this.#isOver = true
    clearTimeout(this.#ending)
  }

  #answer(): DirectAnswer {
    const [first, ...others] = this.#chunks
    const body = first && others.length === 0 ? first : Buffer.concat(this.#chunks)
    return { status: this.#status, headers: this.#headers, body, stream: this.#stream }
  }
}

const notWanted = () => new ThirdPartyError('Nobody waits for the answer any more.')
