import { z } from 'zod'
import { explain } from '../../domain/cause.ts'
import { revocations } from '../../domain/connection-task.ts'
import { type Erasure, type ErasureReceipt, type ErasureStep, removedKinds } from '../../domain/offboarding/erasure.ts'
import { route } from '../../http/route.ts'
import {
  after,
  CauseAnswer,
  Id,
  limit,
  listAnswer,
  listOf,
  reason,
  shown,
  TenantId,
  testMode,
  testModeOf,
  time,
} from '../../http/schemas.ts'
import { eraseEndUser, listErasures, readErasure } from '../flows/erase-end-user.ts'

/** Public names of the steps. The end is reported by the status. */
const publicErasureSteps = {
  ending_links: 'end_links',
  disconnecting: 'disconnect',
  notifying: 'notify',
  erasing: 'erase',
  done: undefined,
} as const satisfies Record<ErasureStep, string | undefined>

const UserId = shown(200).meta({ description: 'Your ID for the user, as in their connect sessions.' })

const ErasureBody = z
  .strictObject({
    tenantId: TenantId,
    endUser: z.strictObject({ id: UserId }).meta({ id: 'ErasureUser', description: 'The user to erase, by ID only.' }),
    reason: reason.optional().meta({
      description: 'The reason. It stays in the audit log, so it must not name the user: use a ticket number.',
    }),
  })
  .meta({
    id: 'ErasureRequest',
    description: 'The user to erase.',
    examples: [{ tenantId: 'acme', endUser: { id: 'user-42' }, reason: 'ticket 4711' }],
  })

const removedWords: Record<(typeof removedKinds)[number], string> = {
  connectSessions: 'Connect sessions of the user.',
  manageSessions: 'Manage sessions of the user.',
  links: 'Links of the user.',
  connections: 'Connections of the user.',
  importRows: 'Rows of imports with grants of the user.',
  events: 'Events about the user.',
  auditEntries: 'Entries about these with a reason, an address of the user’s browser or the name of an account.',
}

const countOf = Object.fromEntries(
  removedKinds.map((kind) => [kind, z.int().meta({ description: removedWords[kind] })]),
) as Record<(typeof removedKinds)[number], z.ZodInt>

const ReceiptAnswer = z
  .strictObject({
    grants: z
      .array(
        z.strictObject({
          integrationId: z.string(),
          connectionId: z.string().optional().meta({ description: 'The connection that had the grant.' }),
          linkId: z
            .string()
            .optional()
            .meta({ description: 'The link that got the grant, if it never became a connection.' }),
          revocation: z.enum(revocations).meta({
            description:
              'What happened to the grant at the provider. `revoked`: it no longer works. `shared`: another connection depends on the same consent, which a revocation would end. `not_offered`: the provider does not support revocation. `not_kept`: no copy was stored to revoke. `refused`: the provider rejected the revocation. `blocked`: this deployment does not call the provider’s address. `client_gone`: the OAuth client of the grant is no longer configured, and the provider accepts no other. Unless it is `revoked`, the user can remove the access in their account at the provider.',
          }),
        }),
      )
      .meta({ description: 'All grants of the user. They are deleted here and on the platform.' }),
    removed: z.strictObject(countOf).meta({
      description:
        'How many records named the user. Manage sessions are deleted. Other records stay, with the ID of the erasure as `endUser.id` and without the user’s data.',
    }),
  })
  .meta({ id: 'ErasureReceipt', description: 'The result of the erasure. It does not name the user.' })

const exampleErasure = {
  id: 'ers_06gxz1d5p9w3n7r2s6v0x4y8z1',
  tenantId: 'acme',
  status: 'done',
  endUserHash: 'zKp3wq0mX8c5r1vN7tYb2hD4fS6gL9aJ0uEiOx3Qk1M',
  receipt: {
    grants: [{ integrationId: 'gmail', connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x', revocation: 'revoked' }],
    removed: {
      connectSessions: 3,
      manageSessions: 1,
      links: 2,
      connections: 1,
      importRows: 0,
      events: 4,
      auditEntries: 6,
    },
  },
  requestedAt: '2026-11-15T12:00:00.000Z',
  finishedAt: '2026-11-15T12:00:14.000Z',
}

const ErasureAnswer = z
  .strictObject({
    id: z.string(),
    tenantId: z.string(),
    testMode,
    status: z.enum(['pending', 'done']).meta({ description: '`pending` continues automatically.' }),
    step: z
      .enum(Object.values(publicErasureSteps).filter((step) => step !== undefined))
      .optional()
      .meta({ description: 'The current step. Absent when done.' }),
    cause: CauseAnswer.optional().meta({ description: 'What the erasure waits for, and who can resolve it.' }),
    notifying: z
      .strictObject({
        webhookIds: z.array(z.string()).meta({
          description:
            'Endpoints with undelivered events. `GET /tenants/{tenantId}/webhook-deliveries` returns the causes.',
        }),
        until: time.meta({ description: 'The erasure continues at this time at the latest.' }),
      })
      .optional()
      .meta({ description: 'The endpoints that the erasure waits for. Present at step `notify`.' }),
    endUserHash: z.string().meta({
      description: 'A keyed hash of the user ID: stable per user and tenant, and not reversible.',
    }),
    receipt: ReceiptAnswer.optional().meta({ description: 'The result. Present when done.' }),
    requestedAt: time,
    finishedAt: time.optional(),
  })
  .meta({
    id: 'Erasure',
    description: 'The erasure of an end user, with its receipt.',
    examples: [exampleErasure],
  })

export const erasureAnswer = (erasure: Erasure): z.input<typeof ErasureAnswer> => {
  const step = publicErasureSteps[erasure.step]
  const { cause, notifying, receipt, finishedAt } = erasure
  return {
    id: erasure.id,
    tenantId: erasure.tenant,
    ...testModeOf(erasure.tenant),
    status: step ? 'pending' : 'done',
    ...(step && { step }),
    ...(cause && { cause: explain(cause) }),
    ...(notifying && { notifying: { ...notifying, until: notifying.until.toISOString() } }),
    endUserHash: erasure.subject,
    ...(receipt && { receipt: receiptAnswer(receipt) }),
    requestedAt: erasure.requestedAt.toISOString(),
    ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
  }
}

const receiptAnswer = ({ grants, removed }: ErasureReceipt): z.input<typeof ReceiptAnswer> => ({
  grants: grants.map(({ integration, connectionId, linkId, revocation }) => ({
    integrationId: integration,
    ...(connectionId !== undefined && { connectionId }),
    ...(linkId !== undefined && { linkId }),
    revocation,
  })),
  removed,
})

const tag = 'Erasures'

export const erasureRoutes = [
  route({
    method: 'post',
    path: '/erasures',
    operationId: 'createErasure',
    client: 'erasures.create',
    clientNote: 'Cannot be undone. Keep the ID: the event refers to it. `waitFor` waits for the result.',
    summary: 'Create an erasure',
    description:
      'Permanently removes all data that names a user of a tenant. Open connect sessions and manage pages end immediately. A durable background task then ends links in progress, disconnects every connection and revokes its grant if the provider allows it, delivers the resulting webhook events for at most an hour, deletes the user’s data or replaces it with the ID of the erasure, and sends `end_user.erased`. Data created for the user during the erasure is erased as well. Afterwards the user can connect again as a new user. The receipt is empty for an unknown user. Repeating the request during an erasure returns the same erasure.',
    tag,
    body: ErasureBody,
    answers: { 202: ErasureAnswer },
    failures: ['not_found'],
    handle: async ({ ports, settings, caller, actor, claim, body: { tenantId: tenant, endUser, reason } }) => {
      const erasure = await eraseEndUser(ports, settings, {
        caller,
        actor,
        claim,
        tenant,
        endUserId: endUser.id,
        reason,
      })
      return { status: 202, body: erasureAnswer(erasure) }
    },
  }),
  route({
    method: 'get',
    path: '/erasures',
    operationId: 'listErasures',
    client: 'erasures.list',
    summary: 'List erasures',
    description: 'Newest first. A tenant key sees only its own erasures.',
    tag,
    query: z.strictObject({
      tenantId: TenantId.optional(),
      endUserId: UserId.optional().meta({
        description:
          'Only erasures of this user, found by the hash of the ID. With a deployment key, `tenantId` is required.',
      }),
      cursor: after(/^ers_[\w-]{1,100}$/),
      limit,
    }),
    answers: { 200: listOf(ErasureAnswer) },
    handle: async ({ ports, caller, query: { tenantId: tenant, endUserId, cursor, limit } }) => {
      const page = await listErasures(ports, { caller, tenant, endUserId, cursor, limit })
      return { status: 200, body: listAnswer(page, erasureAnswer) }
    },
  }),
  route({
    method: 'get',
    path: '/erasures/{erasureId}',
    operationId: 'getErasure',
    client: 'erasures.get',
    summary: 'Get an erasure',
    description: 'Returns the progress of the erasure and, when done, its receipt. Erasures are kept permanently.',
    tag,
    params: { erasureId: Id },
    answers: { 200: ErasureAnswer },
    handle: async ({ ports, caller, params: { erasureId: id } }) => {
      return { status: 200, body: erasureAnswer(await readErasure(ports, { caller, id })) }
    },
  }),
]
