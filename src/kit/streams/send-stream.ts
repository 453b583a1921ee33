import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/** `pipeline` would create a controller per response, which is measurable, and add more listeners than Node allows. */
export function sendStream(res: ServerResponse, chunks: AsyncIterable<Uint8Array>): void {
  const body = Readable.from(chunks, { objectMode: false })
  body.on('error', () => res.destroy())
  res.once('close', () => body.destroy())
  body.pipe(res)
}
