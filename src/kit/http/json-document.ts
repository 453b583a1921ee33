import type { RequestHandler } from 'express'
import { lazy } from '../cache/lazy.ts'

export function jsonDocument(make: () => object): RequestHandler {
  const body = lazy(() => Buffer.from(JSON.stringify(make())))
  return (_req, res) => {
    res.type('json').set('Content-Length', String(body().length)).end(body())
  }
}
