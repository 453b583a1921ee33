import { z } from 'zod'
import { within } from '../../../kit/process/background-work.ts'
import { explain } from '../../domain/cause.ts'
import { type ConnectionTask, revocations, type TaskStep } from '../../domain/connection-task.ts'
import { sightOf } from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import { CauseAnswer, Id, ReasonBody, time } from '../../http/schemas.ts'
import { disconnect } from '../flows/disconnect.ts'
import { readTask } from '../flows/read-connections.ts'
import { rollback } from '../flows/rollback.ts'
import type { TaskInProgress } from '../flows/work-on-task.ts'
import { onConnection } from './on-connection.ts'

/** Public names of the steps. Ends are reported by the status. */
const publicSteps = {
  revoking: 'revoke_grant',
  removing_function: 'remove_function',
  removing_connection: 'remove_connection',
  testing: 'test_grant',
  swapping: 'replace_grant',
  verifying: 'verify_function',
  tidying: 'clean_up',
  reverting: 'restore',
  done: undefined,
  failed: undefined,
} as const satisfies Record<TaskStep, string | undefined>

const stepNames = Object.values(publicSteps).filter((step) => step !== undefined)

const TaskAnswer = z
  .strictObject({
    id: z.string(),
    connectionId: z.string(),
    kind: z.enum(['disconnect', 'rollback']),
    status: z.enum(['pending', 'done', 'failed']).meta({ description: '`pending` continues automatically.' }),
    step: z.enum(stepNames).optional().meta({ description: 'The current step. Absent after the end.' }),
    attempts: z.int().meta({ description: 'How often this step has failed.' }),
    revocation: z.enum(revocations).optional().meta({
      description:
        'What happened to the grant at the provider. `not_kept`: no copy was stored to revoke. `not_offered`: the provider does not support revocation. `shared`: another connection depends on the same consent. `refused`: the provider rejected the revocation. `blocked`: this deployment does not call the provider’s address. `client_gone`: the OAuth client of the grant is no longer configured, and the provider accepts no other. Unless it is `revoked` or `shared`, the user can remove the access in their account at the provider.',
    }),
    cause: CauseAnswer.optional().meta({ description: 'Why the task failed, or its last error.' }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({
    id: 'ConnectionTask',
    description: 'A disconnect or a rollback that was requested.',
    examples: [
      {
        id: 'tsk_06gxz0c4n8v2m6q1r5t9w3x7y0',
        connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x',
        kind: 'disconnect',
        status: 'done',
        attempts: 0,
        revocation: 'revoked',
        createdAt: '2026-11-15T09:30:00.000Z',
        updatedAt: '2026-11-15T09:30:02.000Z',
      },
    ],
  })

function taskAnswer(task: ConnectionTask): z.input<typeof TaskAnswer> {
  const step = publicSteps[task.step]
  return {
    id: task.id,
    connectionId: task.connectionId,
    kind: task.kind,
    status: task.step === 'done' || task.step === 'failed' ? task.step : 'pending',
    ...(step && { step }),
    attempts: task.attempts,
    ...(task.notes.revocation && { revocation: task.notes.revocation }),
    ...(task.cause && task.step !== 'done' && { cause: explain(task.cause) }),
    createdAt: task.createdAt.toISOString(),
    updatedAt: task.updatedAt.toISOString(),
  }
}

const inlineMs = 8_000

const tag = 'Connections'
const params = { connectionId: Id }

export const taskRoutes = [
  route({
    method: 'post',
    path: '/connections/{connectionId}/rollback',
    operationId: 'rollBackConnection',
    client: 'connections.rollback',
    clientNote: 'Restores the grant from before the last re-link. `waitForTask` waits for the result.',
    summary: 'Roll back a connection',
    description:
      'Restores the grant from before the last re-link, after testing it. Possible for one day, if that grant is stored and still works.',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: TaskAnswer },
    failures: ['connection_disconnected', 'connection_busy', 'rollback_impossible', 'integration_unavailable'],
    handle: async ({ ports, settings, ...input }) => settled(await rollback(ports, settings, onConnection(input))),
  }),
  route({
    method: 'post',
    path: '/connections/{connectionId}/disconnect',
    operationId: 'disconnectConnection',
    client: 'connections.disconnect',
    clientNote: 'Permanently revokes the grant and removes the connection. `waitForTask` waits for the result.',
    summary: 'Disconnect a connection',
    description:
      'Revokes the grant at the provider if possible, then removes the function and the connection from the platform. Retried until it succeeds; it cannot be undone. It fails only if it repeatedly crashes workers, and can then be requested again.',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: TaskAnswer },
    failures: ['connection_disconnected', 'connection_busy'],
    handle: async ({ ports, settings, ...input }) => settled(await disconnect(ports, settings, onConnection(input))),
  }),
  route({
    method: 'get',
    path: '/connections/{connectionId}/tasks/{taskId}',
    operationId: 'getConnectionTask',
    client: 'connections.getTask',
    summary: 'Get a task of a connection',
    description: 'Returns the progress of a disconnect or rollback.',
    tag,
    params: { ...params, taskId: Id },
    answers: { 200: TaskAnswer },
    handle: async ({ ports, caller, params: { connectionId, taskId } }) => {
      const task = await readTask(ports, { connectionId, task: taskId, ...sightOf(caller) })
      return { status: 200, body: taskAnswer(task) }
    },
  }),
]

const settled = async ({ task, done }: TaskInProgress) => ({
  status: 200,
  body: taskAnswer((await within(done, inlineMs)) ?? task),
})
