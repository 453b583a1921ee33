import type { IncomingMessage } from 'node:http'
import express, { type Request } from 'express'

/** Reads the client IP behind trusted proxies, also for requests that bypass Express. */
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
