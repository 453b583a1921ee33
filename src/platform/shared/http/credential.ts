import type { IncomingMessage } from 'node:http'
import { BearerCredential, type BrandedHeaders } from '../../../contract/headers.ts'
import { Failure } from '../domain/failure.ts'

/** The branded header goes first: on the gateway, `Authorization` may be meant for the workload. */
export function credentialOf(req: IncomingMessage, headers: BrandedHeaders): string {
  const given = req.headers[headers.authorization.toLowerCase()] ?? req.headers.authorization
  if (given === undefined) throw new Failure('credential_missing', 'Send a bearer credential.')
  const credential = BearerCredential.safeParse(given)
  if (!credential.success) throw new Failure('credential_invalid', 'The credential is not valid.')
  return credential.data
}
