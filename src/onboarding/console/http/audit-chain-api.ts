import { z } from 'zod'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { deploymentChain, headJws } from '../../domain/audit/audit-chain.ts'
import type { ChainRecord } from '../../domain/audit/audit-records.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { route } from '../../http/route.ts'
import { after, limit, listAnswer, listOf, TenantId, time } from '../../http/schemas.ts'
import { listAuditRecords, readAuditHead } from '../flows/read-audit-chain.ts'

const digest = (description: string) =>
  z
    .string()
    .regex(/^[\w-]{43}$/)
    .meta({ description: `${description} SHA-256 in base64url.` })

const opened = (description: string) => z.record(z.string(), z.unknown()).optional().meta({ description })

const exampleRecord = {
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

const RecordAnswer = z
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

const HeadAnswer = z
  .strictObject({
    tenantId: z.string().optional(),
    position: z.int().meta({ description: 'The position of the head in the chain.' }),
    hash: digest('The hash of this position.'),
    sealedAt: time.meta({ description: 'When the head was signed.' }),
    head: z
      .string()
      .meta({ description: 'The same as a JWS, signed by a key of `/.well-known/jwks.json`. Keep it elsewhere.' }),
  })
  .meta({
    id: 'AuditHead',
    description: 'The newest position of an audit chain, signed.',
    examples: [
      {
        tenantId: 'acme',
        position: 17,
        hash: exampleRecord.hash,
        sealedAt: '2026-11-15T09:30:04.000Z',
        head: 'eyJhbGciOiJFZERTQSIsImtpZCI6Ii4uLiJ9.eyJwb3NpdGlvbiI6MTd9.c2lnbmF0dXJl',
      },
    ],
  })

const base64url = (bytes: Buffer) => bytes.toString('base64url')

const recordAnswer = (record: ChainRecord) => record as z.input<typeof RecordAnswer>

const tenantId = TenantId.optional().meta({
  description: 'The tenant. Without it, a deployment key reads the chain of entries that belong to no tenant.',
})

export const auditChainRoutes = [
  route({
    method: 'get',
    path: '/audit/records',
    operationId: 'listAuditRecords',
    client: 'audit.listRecords',
    clientNote: 'Oldest first, with the hashes of the audit chain.',
    summary: 'List audit records',
    description:
      'Returns the sealed entries of a tenant in the order of its audit chain, oldest first. An entry is sealed seconds after it was written. `nextCursor` is always present if there is data and stays valid, so that a reader continues where it stopped.',
    tag: 'Audit',
    query: z.strictObject({ tenantId, cursor: after(/^\d{1,18}\.\d{1,18}$/), limit }),
    answers: { 200: listOf(RecordAnswer) },
    failures: ['not_found'],
    handle: async ({ ports, caller, query: { tenantId: tenant, ...page } }) => ({
      status: 200,
      body: listAnswer(await listAuditRecords(ports, { caller, tenant, ...page }), recordAnswer),
    }),
  }),
  route({
    method: 'get',
    path: '/audit/head',
    operationId: 'getAuditHead',
    client: 'audit.getHead',
    summary: 'Get the audit head',
    description:
      'Returns the newest position of the audit chain. Keep heads outside of the deployment: a chain that was cut or replaced does not contain them.',
    tag: 'Audit',
    query: z.strictObject({ tenantId }),
    answers: { 200: HeadAnswer },
    failures: ['not_found'],
    handle: async ({ ports, caller, query: { tenantId: tenant } }) => {
      const head = await readAuditHead(ports, { caller, tenant })
      const { chain, last: position, hash, sealedAt } = head
      const named = chain === deploymentChain ? {} : { tenantId: chain }
      const shown = { position, hash: base64url(hash), sealedAt: sealedAt.toISOString(), head: headJws(head) }
      return { status: 200, body: { ...named, ...shown } }
    },
  }),
]

/** RFC 7517. Cached briefly, because a rotation adds a key. */
export const auditKeys = ({ auditChains }: Pick<Ports, 'auditChains'>) =>
  exactRouter().get('/.well-known/jwks.json', (_req, res) => {
    res.set('Cache-Control', 'public, max-age=300').json({ keys: auditChains.publicKeys })
  })
