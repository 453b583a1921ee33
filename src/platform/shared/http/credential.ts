import type { IncomingMessage } from 'node:http'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import { Failure } from '../domain/failure.ts'

/** Longer texts are refused before anybody decodes them. */
const longestCredential = 8_192

/** The branded header goes first: on the gateway, `Authorization` may be meant for the workload. */
export function credentialOf(req: IncomingMessage, headers: BrandedHeaders): string {
  const given = req.headers[headers.authorization.toLowerCase()] ?? req.headers.authorization
  if (given === undefined) throw new Failure('credential_missing', 'Send a bearer credential.')
  const [, credential] = /^Bearer +(\S+)$/i.exec(String(given).slice(0, longestCredential + 8)) ?? []
  if (!credential || credential.length > longestCredential) {
    throw new Failure('credential_invalid', 'The credential is not valid.')
  }
  return credential
}
