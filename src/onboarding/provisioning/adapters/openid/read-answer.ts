import type { Members } from '../../../../kit/token-answer/answer-objects.ts'

/**
 * A good answer that was read already, in the shape the library asks for. It looks at the status and the parsed body
 * alone; a real Response would put a stream around a text, to be parsed once more.
 */
class ReadAnswer {
  readonly status = 200
  bodyUsed = false
  readonly #body: Members

  constructor(body: Members) {
    this.#body = body
  }

  readonly headers = {
    get: (name: string): string | null => (name.toLowerCase() === 'content-type' ? 'application/json' : null),
  }

  async json(): Promise<unknown> {
    this.bodyUsed = true
    return this.#body
  }

  /** By which the library tells an answer. */
  get [Symbol.toStringTag]() {
    return 'Response'
  }
}

export const readAnswer = (body: Members): Response => new ReadAnswer(body) as unknown as Response
