import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { hashOf } from '../domain/api-key.ts'
import { Email, KeyName, RedirectUri } from '../domain/command-options.ts'
import { hashPassword, passwordMatches } from '../domain/password.ts'
import type { OAuthClients, Users } from '../domain/ports.ts'

export const IdentityDocument = z.strictObject({
  users: z
    .array(
      z.strictObject({
        email: Email,
        password: z.string().min(12).max(1_024),
        roles: z.array(z.string().min(1).max(100)).max(50).default([]),
      }),
    )
    .default([]),
  clients: z
    .array(
      z.strictObject({
        clientId: z.string().regex(/^[a-z0-9-]{3,64}$/),
        name: KeyName,
        clientSecret: z.string().min(32).max(1_024),
        redirectUris: z.array(RedirectUri).min(1),
      }),
    )
    .default([]),
})

type Ports = { users: Pick<Users, 'put' | 'findByEmail'>; clients: Pick<OAuthClients, 'put'> }

export async function applyIdentity(
  ports: Ports,
  { users, clients }: z.infer<typeof IdentityDocument>,
): Promise<{ users: string[]; clients: string[] }> {
  for (const { email, password, roles } of users) {
    const known = (await ports.users.findByEmail(email))?.passwordHash
    // A new hash of the same password would end the user's sessions on every run.
    const passwordHash = known && (await passwordMatches(password, known)) ? known : await hashPassword(password)
    await ports.users.put({ id: randomUUID(), email, roles, passwordHash })
  }
  for (const { clientSecret, ...client } of clients) {
    await ports.clients.put({ ...client, secretHash: hashOf(clientSecret) })
  }
  return { users: users.map(({ email }) => email), clients: clients.map(({ clientId }) => clientId) }
}
