import { randomUUID } from 'node:crypto'
import { Failure } from '../../shared/domain/failure.ts'
import { type ClientMetadata, claimedName, mostUnusedApps, registeredId } from '../domain/client-registration.ts'
import type { OAuthClients } from '../domain/ports.ts'

export type RegisterClient = (metadata: ClientMetadata) => Promise<{ clientId: string; name: string; issuedAt: Date }>

type Needs = { clients: Pick<OAuthClients, 'register'>; now: () => Date }

const retryAfterSeconds = 3_600

/** RFC 7591: an app gets an id and no secret. It can ask people for the tools of functions, and for nothing else. */
export const registerClient =
  ({ clients, now }: Needs): RegisterClient =>
  async ({ redirect_uris: redirectUris, client_name }) => {
    const clientId = registeredId(randomUUID())
    const name = claimedName(client_name) ?? 'An app without a name'
    const isStored = await clients.register({ clientId, name, redirectUris })
    if (isStored) return { clientId, name, issuedAt: now() }
    // Unused ones are forgotten after a day, so this ends by itself.
    const limit = `at most ${mostUnusedApps} registered apps are kept that have not been used yet`
    throw new Failure('too_many_requests', `Too many requests: ${limit}. Try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    })
  }
