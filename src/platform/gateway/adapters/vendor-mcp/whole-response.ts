import { messagesIn } from './message-limits.ts'

type Init = { status: number; headers: [string, string][] }

const utf8 = new TextDecoder()

/**
 * An answer that has arrived as a whole, as far as the protocol's library reads one. A real Response makes a stream of
 * it, to be read to its end a second time: that, and what it leaves to be collected, is a good part of what a call costs.
 */
export function wholeResponse(bytes: Uint8Array, { status, headers }: Init): Response {
  const text = async () => utf8.decode(bytes)
  const answer: Partial<Response> = {
    status,
    statusText: '',
    ok: status >= 200 && status < 300,
    headers: new Headers(headers),
    url: '',
    redirected: false,
    body: null,
    text,
    json: async () => {
      const answer: unknown = JSON.parse(await text())
      messagesIn(answer)
      return answer
    },
  }
  return answer as Response
}
