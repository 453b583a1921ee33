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
import type { OffboardingFlows } from '../flows/offboarding-flows.ts'

/** What a caller is told of each step; the end is told by the status. A step that is not listed does not compile. */
export const publicErasureSteps = {
  ending_links: 'end_links',
  disconnecting: 'disconnect',
  notifying: 'notify',
  erasing: 'erase',
  done: undefined,
} as const satisfies Record<ErasureStep, string | undefined>

const UserId = shown(200).meta({ description: 'Your own id of the user, as in their connect sessions.' })

const ErasureBody = z
  .strictObject({
    tenantId: TenantId,
    endUser: z
      .strictObject({ id: UserId })
      .meta({ id: 'ErasureUser', description: 'The user of the tenant to erase, by their id alone.' }),
    reason: reason.optional().meta({
      description: 'Why. It stays in the audit log, so it must not name the user: a ticket number is enough.',
    }),
  })
  .meta({
    id: 'ErasureRequest',
    description: 'Who is erased.',
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
              'What became of the grant at the provider. `revoked`: it works no more. `shared`: another connection lives off the same consent, which revoking would end. `not_offered`: the provider has no way to revoke it. `not_kept`: it was not stored here. `refused`: the provider did not revoke it. `blocked`: it was not asked, because this deployment does not call its address. `client_gone`: the OAuth client that it was issued to is not configured here any more, and the provider hears no other. Unless it is `revoked`, the user can remove the access in their account at the provider.',
          }),
        }),
      )
      .meta({ description: 'Every grant of the user. All of them are deleted here and on the platform.' }),
    removed: z.strictObject(countOf).meta({
      description:
        'How many records named the user. Manage sessions are deleted; the others stay without what named the user, with the id of the erasure as `endUser.id`.',
    }),
  })
  .meta({ id: 'ErasureReceipt', description: 'What was done, without naming the user.' })

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
    status: z.enum(['pending', 'done']).meta({ description: '`pending` continues without you.' }),
    step: z
      .enum(Object.values(publicErasureSteps).filter((step) => step !== undefined))
      .optional()
      .meta({ description: 'What it is at. Absent once it is done.' }),
    cause: CauseAnswer.optional().meta({ description: 'What it waits for, and who can change that.' }),
    notifying: z
      .strictObject({
        webhookIds: z.array(z.string()).meta({
          description:
            'Endpoints that have not taken one of the events yet. `GET /tenants/{tenantId}/webhook-deliveries` says why.',
        }),
        until: time.meta({ description: 'Then it goes on, whether they have or not.' }),
      })
      .optional()
      .meta({ description: 'Whom it waits for. Present at the step `notify`.' }),
    endUserHash: z.string().meta({
      description:
        'A keyed hash of the id of the user: the same for the same user of the tenant, and no way back to it.',
    }),
    receipt: ReceiptAnswer.optional().meta({ description: 'What was done. Present once it is done.' }),
    requestedAt: time,
    finishedAt: time.optional(),
  })
  .meta({
    id: 'Erasure',
    description: 'The erasure of one end user, and its receipt.',
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

type Needs = Pick<OffboardingFlows, 'eraseEndUser' | 'readErasure' | 'listErasures'>

const tag = 'Erasures'

export const erasureRoutes = (flows: Needs) => [
  route({
    method: 'post',
    path: '/erasures',
    operationId: 'createErasure',
    summary: 'Create an erasure',
    description:
      'Removes everything here that names one user of a tenant, for good. At once: their open connect sessions and manage pages end. Then, continued after a crash: links under way end; every connection is disconnected, with its grant revoked where the provider allows it; webhook endpoints get the events of that, for an hour at most; what names the user is deleted or replaced by the id of the erasure, and `end_user.erased` is sent. What is created for the user while it is under way is erased as well; afterwards they can connect again, as a new user. For a user who is not known here the receipt is empty. Asking again while it is under way returns the same erasure.',
    tag,
    body: ErasureBody,
    answers: { 202: ErasureAnswer },
    failures: ['not_found'],
    handle: async ({ caller, actor, claim, body: { tenantId: tenant, endUser, reason } }) => {
      const erasure = await flows.eraseEndUser({ caller, actor, claim, tenant, endUserId: endUser.id, reason })
      return { status: 202, body: erasureAnswer(erasure) }
    },
  }),
  route({
    method: 'get',
    path: '/erasures',
    operationId: 'listErasures',
    summary: 'List erasures',
    description: 'Newest first. A key of a tenant sees its own erasures only.',
    tag,
    query: z.strictObject({
      tenantId: TenantId.optional(),
      endUserId: UserId.optional().meta({
        description:
          'Erasures of one user, found by the hash of their id. With a key of the deployment, send `tenantId`, too.',
      }),
      cursor: after(/^ers_[\w-]{1,100}$/),
      limit,
    }),
    answers: { 200: listOf(ErasureAnswer) },
    handle: async ({ caller, query: { tenantId: tenant, endUserId, cursor, limit } }) => {
      const page = await flows.listErasures({ caller, tenant, endUserId, cursor, limit })
      return { status: 200, body: listAnswer(page, erasureAnswer) }
    },
  }),
  route({
    method: 'get',
    path: '/erasures/{erasureId}',
    operationId: 'getErasure',
    summary: 'Get an erasure',
    description: 'How far it has come and, once it is done, its receipt. It is kept for good.',
    tag,
    params: { erasureId: Id },
    answers: { 200: ErasureAnswer },
    handle: async ({ caller, params: { erasureId: id } }) => {
      return { status: 200, body: erasureAnswer(await flows.readErasure({ caller, id })) }
    },
  }),
]
