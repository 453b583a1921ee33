/**
 * A good answer that was read already, in the shape the library asks for. It looks at the status and the parsed body
 * alone; a real Response would put a stream around the text, to be read once more.
 */
class ReadAnswer {
  readonly status = 200
  bodyUsed = false
  readonly #body: string
  readonly #contentType: string

  constructor(body: string, contentType: string) {
    this.#body = body
    this.#contentType = contentType
  }

  readonly headers = {
    get: (name: string): string | null => (name.toLowerCase() === 'content-type' ? this.#contentType : null),
  }

  async json(): Promise<unknown> {
    this.bodyUsed = true
    return JSON.parse(this.#body)
  }

  /** By which the library tells an answer. */
  get [Symbol.toStringTag]() {
    return 'Response'
  }
}

export const readAnswer = (body: string, contentType = 'application/json'): Response =>
  new ReadAnswer(body, contentType) as unknown as Response
