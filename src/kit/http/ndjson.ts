import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export const ndjsonType = 'application/x-ndjson'

/** Cuts the connection on an error, so that no client takes a part for the whole. */
export async function sendLines(res: ServerResponse, values: AsyncIterable<unknown>): Promise<void> {
  res.setHeader('Content-Type', `${ndjsonType}; charset=utf-8`)
  async function* lines() {
    for await (const value of values) yield `${JSON.stringify(value)}\n`
  }
  await pipeline(Readable.from(lines()), res)
}
