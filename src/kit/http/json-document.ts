import type { RequestHandler } from 'express'
import { lazy } from '../cache/lazy.ts'

export function jsonDocument(make: () => object | Promise<object>): RequestHandler {
  const written = lazy(async () => Buffer.from(JSON.stringify(await make())))
  return async (_req, res) => {
    const body = await written()
    res.type('json').set('Content-Length', String(body.length)).end(body)
  }
}
