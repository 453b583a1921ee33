import { z } from 'zod'

export const digest = (description: string) =>
  z
    .string()
    .regex(/^[\w-]{43}$/)
    .meta({ description: `${description} SHA-256 in base64url.` })

const opened = (description: string) => z.record(z.string(), z.unknown()).optional().meta({ description })

export const exampleRecord = {
  position: 17,
  body: {
    kind: 'entry',
    id: '4711',
    occurredAt: '2026-11-15T09:30:02.123456Z',
    action: 'connection.disconnected',
    subject: { kind: 'connection', id: 'con_06gxytkv1n6z3c8p2r5s7t9w0x' },
    facts: { revocation: 'revoked' },
    actor: { kind: 'api_key', id: 'key_06gxyqh2m6p0r4t8w1x5y9z3a7' },
    tenantId: 'acme',
    personal: 'K0Q3dKxW1kq2Yv8m1c3o9xX0m8m2m2m0r9o5u6p7q8s',
    hidden: 'w1e9rT5yU7iO3pA5sD7fG9hJ1kL3zX5cV7bN9mQ2wE4',
  },
  personal: { salt: 'c2l4dGVlbiBieXRlcy4u', reason: 'ticket 4711' },
  leaf: 'p0OiUuYyTtRrEeWwQqAaSsDdFfGgHhJjKkLlZzXxCcV',
  previous: 'mNbVcXzLkJhGfDsAqWeRtYuIoPmNbVcXzLkJhGfDsAq',
  hash: 'aZsXdCfVgBhNjMkLqWeRtYuIoPaSdFgHjKlZxCvBnMq',
}

export const AuditRecordAnswer = z
  .strictObject({
    position: z.int().meta({ description: 'The position in the chain, from 1.' }),
    body: z.record(z.string(), z.unknown()).optional().meta({
      description:
        'What `leaf` was made of: `kind` is `entry`, `erasure`, `retention` or `break`. Absent if the entry was removed.',
    }),
    personal: opened('The part of an entry that an erasure deletes. Absent after one. `body.personal` is its digest.'),
    hidden: opened('The part that only deployment keys see. `body.hidden` is its digest.'),
    leaf: digest('As sealed, of `body` in canonical JSON (RFC 8785).').optional(),
    previous: digest('`hash` of the position before.').optional(),
    hash: digest('Of the bytes of `previous` and `leaf`.').optional(),
    unsealedId: z
      .string()
      .optional()
      .meta({ description: 'The ID of an entry before this position that no position names. It was inserted.' }),
  })
  .meta({
    id: 'AuditRecord',
    description: 'A position of an audit chain.',
    examples: [exampleRecord],
  })
