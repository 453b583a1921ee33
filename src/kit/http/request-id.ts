import type { RequestHandler, Response } from 'express'
import { publicRandomBytes } from '../crypto/random.ts'

export const newRequestId = (): string => `req_${publicRandomBytes(9).toString('base64url')}`

/** Never taken from the caller. */
export const requestIds: RequestHandler = (_req, res, next) => {
  const id = newRequestId()
  res.locals.requestId = id
  res.set('X-Request-Id', id)
  next()
}

export const requestIdOf = (res: Response): string => res.locals.requestId
