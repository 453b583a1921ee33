import type { RequestHandler, Response } from 'express'
import { type ApiVersion, apiVersions, defaultApiVersion, isApiVersion } from '../../../contract/api-version.ts'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import { Failure } from '../domain/failure.ts'

/** Reads the date whose shapes the caller speaks. */
export const apiDate =
  (headers: BrandedHeaders): RequestHandler =>
  (req, res, next) => {
    const asked = req.get(headers.version) ?? defaultApiVersion
    if (!isApiVersion(asked)) {
      throw new Failure('version_unknown', `Unknown API version. Valid versions: ${apiVersions.join(', ')}.`)
    }
    res.locals.apiVersion = asked
    next()
  }

export const apiDateOf = (res: Response): ApiVersion => res.locals.apiVersion
