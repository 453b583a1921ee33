import type { IncomingMessage } from 'node:http'
import { BearerCredential, type BrandedHeaders } from '../../../contract/headers.ts'
import { visitor } from '../../../kit/http/visitor.ts'
import type { RateLimit } from '../../../kit/rates/rate-limit.ts'
import type { Caller } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import { assertWithinLimit } from '../domain/limit.ts'

export type Limits = {
  /** By credential, once it is known to be good. */
  requests: RateLimit
  /** Wrong credentials, by where they come from. */
  failures: RateLimit
}

type Needs = {
  headers: BrandedHeaders
  identifyCaller: (credential: string, resource?: string) => Promise<Caller>
  addressOf: (req: IncomingMessage) => string | undefined
  limits: Limits
}

/**
 * Who sends a request. What is counted by is never something that a stranger may choose: a credential counts once it
 * is known, and until then the address does. Good credentials pass however many wrong ones come from beside them.
 */
export const authenticate = (needs: Needs) => {
  // A request counts once, though more than one part of the way asks who sent it.
  const known = new WeakMap<IncomingMessage, Promise<Caller>>()
  return (req: IncomingMessage, resource?: string): Promise<Caller> => {
    const caller = known.get(req) ?? identify(needs, req, resource)
    known.set(req, caller)
    return caller
  }
}

async function identify(needs: Needs, req: IncomingMessage, resource: string | undefined): Promise<Caller> {
  const { headers, identifyCaller, addressOf, limits } = needs
  const caller = await identifyCaller(credentialOf(req, headers), resource).catch((error) => {
    if (error instanceof Failure && error.code === 'credential_invalid')
      assertWithinLimit(limits.failures.take(visitor(addressOf(req))), limits.failures, counted.failures)
    throw error
  })
  assertWithinLimit(limits.requests.take(caller.credential), limits.requests, counted.requests)
  return caller
}

/** For a request that has several others in it. */
export const countMore =
  ({ limits }: Pick<Needs, 'limits'>) =>
  ({ credential }: Caller, times: number): void => {
    for (let at = 0; at < times; at++) {
      assertWithinLimit(limits.requests.take(credential), limits.requests, counted.requests)
    }
  }

/** Whether a request comes from a member or a robot, by whatever it is allowed; nothing is counted or told. */
export const hasGoodCredential =
  ({ headers, identifyCaller }: Pick<Needs, 'headers' | 'identifyCaller'>) =>
  async (req: IncomingMessage): Promise<boolean> =>
    (await identifyCaller(credentialOf(req, headers))).kind !== 'end_user'

/** Who sent a request that is still under way, as things are now; nothing is counted. */
export const identifyAgain =
  ({ headers, identifyCaller }: Pick<Needs, 'headers' | 'identifyCaller'>) =>
  async (req: IncomingMessage, resource?: string): Promise<Caller> =>
    identifyCaller(credentialOf(req, headers), resource)

/** The branded header goes first: on the gateway, `Authorization` may be meant for the workload. */
function credentialOf(req: IncomingMessage, headers: BrandedHeaders): string {
  const given = req.headers[headers.authorization.toLowerCase()] ?? req.headers.authorization
  if (given === undefined) throw new Failure('credential_missing', 'Send a bearer credential.')
  const credential = BearerCredential.safeParse(given)
  if (!credential.success) throw new Failure('credential_invalid', 'The credential is not valid.')
  return credential.data
}

/** What the limits count, as the caller is told. */
export const counted = {
  requests: 'requests of one credential',
  failures: 'wrong credentials from one address',
} as const satisfies Record<keyof Limits, string>
