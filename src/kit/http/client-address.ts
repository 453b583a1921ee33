import type { IncomingMessage } from 'node:http'
import express, { type Request } from 'express'

/** Where a request comes from, behind the proxies that are trusted, also for requests that go around the framework. */
export function clientAddress(trustProxy: readonly string[]): (req: IncomingMessage) => string | undefined {
  const app = express().set('trust proxy', trustProxy)
  return ({ headers, socket }) => {
    const seen: Request = Object.create(app.request, {
      headers: { value: headers },
      socket: { value: socket },
      connection: { value: socket },
    })
    return seen.ip
  }
}
