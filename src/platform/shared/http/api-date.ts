import type { Request, Response } from 'express'
import { type ApiVersion, apiVersions, defaultApiVersion, isApiVersion } from '../../../contract/api-version.ts'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import { Failure } from '../domain/failure.ts'

/** The date whose shapes the caller speaks. */
export function apiDate(req: Request, headers: BrandedHeaders): ApiVersion {
  const asked = req.get(headers.version) ?? defaultApiVersion
  if (isApiVersion(asked)) return asked
  throw new Failure('version_unknown', `Unknown API version. Valid versions: ${apiVersions.join(', ')}.`)
}

export const apiDateOf = (res: Response): ApiVersion => res.locals.apiVersion
