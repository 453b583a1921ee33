import { z } from 'zod'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { deploymentChain, headJws } from '../../domain/audit/audit-chain.ts'
import type { ChainRecord } from '../../domain/audit/audit-records.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { AuditRecordAnswer, digest, exampleRecord } from '../../http/audit-record.ts'
import { route } from '../../http/route.ts'
import { after, limit, listAnswer, listOf, TenantId, time } from '../../http/schemas.ts'
import { listAuditRecords, readAuditHead } from '../flows/read-audit-chain.ts'

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

const recordAnswer = (record: ChainRecord) => record as z.input<typeof AuditRecordAnswer>

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
    answers: { 200: listOf(AuditRecordAnswer) },
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
