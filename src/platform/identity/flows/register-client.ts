import { randomUUID } from 'node:crypto'
import { type ClientMetadata, claimedName, registeredId } from '../domain/client-registration.ts'
import type { OAuthClients } from '../domain/ports.ts'

/** RFC 7591. The app gets no secret and can only request the tools of functions. */
export async function registerClient(
  { clients, now }: { clients: Pick<OAuthClients, 'register'>; now: () => Date },
  { redirect_uris: redirectUris, client_name }: ClientMetadata,
): Promise<{ clientId: string; name: string; issuedAt: Date }> {
  const clientId = registeredId(randomUUID())
  const name = claimedName(client_name) ?? 'An app without a name'
  await clients.register({ clientId, name, redirectUris })
  return { clientId, name, issuedAt: now() }
}
