import { z } from 'zod'
import type { DeletionStep } from '../../domain/offboarding/tenant-deletion.ts'
import { route } from '../../http/route.ts'
import { Id, time } from '../../http/schemas.ts'
import type { DeletionProgress } from '../flows/delete-tenant.ts'
import { deleteTenant, readDeletion } from '../flows/delete-tenant.ts'

/** Public names of the steps. The end is reported by the status. */
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
    status: z.enum(['pending', 'done']).meta({ description: '`pending` continues automatically.' }),
    step: z
      .enum(Object.values(publicSteps).filter((step) => step !== undefined))
      .optional()
      .meta({ description: 'The current step. Absent when done.' }),
    connectionsLeft: z.int().meta({ description: 'How many connections are not yet disconnected.' }),
    startedAt: time,
    updatedAt: time,
  })
  .meta({
    id: 'TenantDeletion',
    description: 'The progress of a tenant deletion.',
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

const tag = 'Tenants'
const params = { tenantId: Id }

export const tenantDeletionRoutes = [
  route({
    method: 'delete',
    path: '/tenants/{tenantId}',
    operationId: 'deleteTenant',
    client: 'tenants.delete',
    clientNote: 'Permanently deletes the tenant and its connections. `waitForDeletion` waits for the result.',
    summary: 'Delete a tenant',
    description:
      'Permanently deletes a tenant. Its API keys stop working immediately, and nothing new can be started. A durable background task then cancels open connect sessions, ends links that wait for a user, disconnects every connection and revokes its grant if the provider allows it, delivers the resulting webhook events and a final `tenant.deleted`, deletes the webhook endpoints after delivery or after a day, and erases OAuth clients and secrets. Records that the audit log refers to stay readable. The ID cannot be reused; the workspace can. Idempotent. Requires a deployment key.',
    tag,
    params,
    answers: { 202: DeletionAnswer },
    failures: ['key_limited'],
    handle: async ({ ports, settings, caller, actor, params: { tenantId: id } }) => {
      return { status: 202, body: deletionAnswer(await deleteTenant(ports, settings, { caller, actor, id })) }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{tenantId}/deletion',
    operationId: 'getTenantDeletion',
    client: 'tenants.getDeletion',
    summary: 'Get the deletion of a tenant',
    description: 'Returns the progress of the deletion.',
    tag,
    params,
    answers: { 200: DeletionAnswer },
    handle: async ({ ports, caller, params: { tenantId: id } }) => {
      return { status: 200, body: deletionAnswer(await readDeletion(ports, { caller, id })) }
    },
  }),
]
