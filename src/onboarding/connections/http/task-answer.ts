import { z } from 'zod'
import { explain } from '../../domain/cause.ts'
import { type ConnectionTask, revocations, type TaskStep } from '../../domain/connection-task.ts'
import { CauseAnswer, time } from '../../http/schemas.ts'

/** What a caller is told of each step; ends are told by the status. A step that is not listed does not compile. */
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

export const TaskAnswer = z
  .strictObject({
    id: z.string(),
    connectionId: z.string(),
    kind: z.enum(['disconnect', 'rollback']),
    status: z.enum(['pending', 'done', 'failed']).meta({ description: '`pending` continues without you.' }),
    step: z.enum(stepNames).optional().meta({ description: 'What it is at. Absent once it has ended.' }),
    attempts: z.int().meta({ description: 'How often this step has failed so far.' }),
    revocation: z.enum(revocations).optional().meta({
      description:
        'What became of the grant at the provider. `not_kept`: no copy was stored to revoke. `not_offered`: the provider revokes nothing. `shared`: another connection depends on the same consent. `refused`: the provider did not revoke it. `blocked`: it was not asked, because this deployment does not call its address. `client_gone`: the OAuth client that it was issued to is not configured here any more, and the provider hears no other. Unless it is `revoked` or `shared`, the user can remove the access in their account at the provider.',
    }),
    cause: CauseAnswer.optional().meta({ description: 'Why it failed, or its last error.' }),
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

export function taskAnswer(task: ConnectionTask): z.input<typeof TaskAnswer> {
  const step = publicSteps[task.step]
  return {
    id: task.id,
    connectionId: task.connectionId,
    kind: task.kind,
    status: task.step === 'done' || task.step === 'failed' ? task.step : 'pending',
    ...(step && { step }),
    attempts: task.attempts,
    ...(task.notes.revocation && { revocation: task.notes.revocation }),
    // Errors on the way are over once it is done.
    ...(task.cause && task.step !== 'done' && { cause: explain(task.cause) }),
    createdAt: task.createdAt.toISOString(),
    updatedAt: task.updatedAt.toISOString(),
  }
}
