import type { Request } from 'express'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import { Failure } from '../domain/failure.ts'

/** Longer texts are refused before anybody decodes them. */
const longestCredential = 8_192

/** The branded header goes first: on the gateway, `Authorization` may be meant for the workload. */
export function credentialOf(req: Request, headers: BrandedHeaders): string {
  const given = req.get(headers.authorization) ?? req.get('Authorization')
  if (given === undefined) throw new Failure('credential_missing', 'Send a bearer credential.')
  const [, credential] = /^Bearer +(\S+)$/i.exec(given.slice(0, longestCredential + 8)) ?? []
  if (!credential || credential.length > longestCredential) {
    throw new Failure('credential_invalid', 'The credential is not valid.')
  }
  return credential
}
