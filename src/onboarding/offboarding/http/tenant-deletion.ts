import { z } from 'zod'
import type { DeletionStep } from '../../domain/offboarding/tenant-deletion.ts'
import { route } from '../../http/route.ts'
import { Id, time } from '../../http/schemas.ts'
import type { DeletionProgress } from '../flows/delete-tenant.ts'
import type { OffboardingFlows } from '../flows/offboarding-flows.ts'

/** What a caller is told of each step; the end is told by the status. A step that is not listed does not compile. */
const publicSteps = {
  ending_links: 'end_links',
  disconnecting: 'disconnect',
  notifying: 'notify',
  erasing: 'erase',
  done: undefined,
} as const satisfies Record<DeletionStep, string | undefined>

const DeletionAnswer = z
  .strictObject({
    tenantId: z.string(),
    status: z.enum(['pending', 'done']).meta({ description: '`pending` continues without you.' }),
    step: z
      .enum(Object.values(publicSteps).filter((step) => step !== undefined))
      .optional()
      .meta({ description: 'What it is at. Absent once it is done.' }),
    connectionsLeft: z.int().meta({ description: 'How many connections are still to be disconnected.' }),
    startedAt: time,
    updatedAt: time,
  })
  .meta({
    id: 'TenantDeletion',
    description: 'How far the deletion of a tenant has come.',
    examples: [
      {
        tenantId: 'acme',
        status: 'pending',
        step: 'disconnect',
        connectionsLeft: 12,
        startedAt: '2026-11-15T12:00:00.000Z',
        updatedAt: '2026-11-15T12:00:03.000Z',
      },
    ],
  })

function deletionAnswer({ deletion, connectionsLeft }: DeletionProgress): z.input<typeof DeletionAnswer> {
  const step = publicSteps[deletion.step]
  return {
    tenantId: deletion.tenant,
    status: step ? 'pending' : 'done',
    ...(step && { step }),
    connectionsLeft,
    startedAt: deletion.startedAt.toISOString(),
    updatedAt: deletion.updatedAt.toISOString(),
  }
}

type Needs = Pick<OffboardingFlows, 'deleteTenant' | 'readDeletion'>

const tag = 'Tenants'
const params = { tenantId: Id }

export const tenantDeletionRoutes = (flows: Needs) => [
  route({
    method: 'delete',
    path: '/tenants/{tenantId}',
    operationId: 'deleteTenant',
    summary: 'Delete a tenant',
    description:
      'Ends everything of theirs, for good. At once: its API keys stop working, and nothing new can be started. Then, continued after a crash: open connect sessions are cancelled and links that wait for a user end; every connection is disconnected, with its grant revoked where the provider allows it; its webhook endpoints get the events of that and a last `tenant.deleted`, and are deleted when those were delivered, or after a day; its OAuth clients and secrets are erased. What the audit log refers to stays readable, and the id cannot be used again; the workspace can. Asking again changes nothing. Only for keys of the deployment.',
    tag,
    params,
    answers: { 202: DeletionAnswer },
    failures: ['key_limited'],
    handle: async ({ caller, actor, params: { tenantId: id } }) => {
      return { status: 202, body: deletionAnswer(await flows.deleteTenant({ caller, actor, id })) }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{tenantId}/deletion',
    operationId: 'getTenantDeletion',
    summary: 'Get the deletion of a tenant',
    description: 'How far it has come.',
    tag,
    params,
    answers: { 200: DeletionAnswer },
    handle: async ({ caller, params: { tenantId: id } }) => {
      return { status: 200, body: deletionAnswer(await flows.readDeletion({ caller, id })) }
    },
  }),
]
