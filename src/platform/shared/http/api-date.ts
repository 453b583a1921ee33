import type { Request, Response } from 'express'
import { ApiVersion, apiVersions, type BrandedHeaders, defaultApiVersion } from '../../../contract/headers.ts'
import { Failure } from '../domain/failure.ts'

export function apiDate(req: Request, headers: BrandedHeaders): ApiVersion {
  const asked = req.get(headers.version)
  if (asked === undefined) return defaultApiVersion
  const known = ApiVersion.safeParse(asked)
  if (known.success) return known.data
  throw new Failure('version_unknown', `Unknown API version. Valid versions: ${apiVersions.join(', ')}.`)
}

export const apiDateOf = (res: Response): ApiVersion => res.locals.apiVersion
