import type { IncomingMessage } from 'node:http'
import { BearerCredential, type BrandedHeaders } from '../../../contract/headers.ts'
import { visitor } from '../../../kit/http/visitor.ts'
import type { RateLimit } from '../../../kit/rates/rate-limit.ts'
import type { Caller } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import { assertWithinLimit } from '../domain/limit.ts'

type Limits = {
  requests: RateLimit
  failures: RateLimit
  previews: RateLimit
}

type Needs = {
  headers: BrandedHeaders
  identifyCaller: (credential: string, resource?: string) => Promise<Caller>
  addressOf: (req: IncomingMessage) => string | undefined
  limits: Limits
}

/** Rate limits use only keys that a client can't choose: a valid credential, or else the address. Invalid credentials don't affect valid ones from the same address. */
export const authenticate = (needs: Needs) => {
  // Counts a request once, even if it is identified several times.
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

/** Previews have no credential: an open one counts by its ID, and a refused request by its visitor. */
export const countPreview =
  ({ addressOf, limits }: Pick<Needs, 'addressOf' | 'limits'>) =>
  async <T>(req: IncomingMessage, id: string, open: () => Promise<T>): Promise<T> => {
    const preview = await open().catch((error) => {
      if (error instanceof Failure && error.code === 'route_unknown')
        assertWithinLimit(limits.failures.take(visitor(addressOf(req))), limits.failures, counted.failures)
      throw error
    })
    assertWithinLimit(limits.previews.take(id), limits.previews, counted.previews)
    return preview
  }

export const countMore =
  ({ limits }: Pick<Needs, 'limits'>) =>
  ({ credential }: Caller, times: number): void => {
    for (let at = 0; at < times; at++) {
      assertWithinLimit(limits.requests.take(credential), limits.requests, counted.requests)
    }
  }

export const hasGoodCredential =
  ({ headers, identifyCaller }: Pick<Needs, 'headers' | 'identifyCaller'>) =>
  async (req: IncomingMessage): Promise<boolean> =>
    (await identifyCaller(credentialOf(req, headers))).kind !== 'end_user'

export const identifyAgain =
  ({ headers, identifyCaller }: Pick<Needs, 'headers' | 'identifyCaller'>) =>
  async (req: IncomingMessage, resource?: string): Promise<Caller> =>
    identifyCaller(credentialOf(req, headers), resource)

/** The branded header takes precedence, because `Authorization` may be for the workload. */
function credentialOf(req: IncomingMessage, headers: BrandedHeaders): string {
  const given = req.headers[headers.authorization.toLowerCase()] ?? req.headers.authorization
  if (given === undefined) throw new Failure('credential_missing', 'Send a bearer credential.')
  const credential = BearerCredential.safeParse(given)
  if (!credential.success) throw new Failure('credential_invalid', 'The credential is not valid.')
  return credential.data
}

export const counted = {
  requests: 'requests of one credential',
  failures: 'wrong credentials from one address',
  previews: 'requests to one preview',
} as const satisfies Record<keyof Limits, string>
