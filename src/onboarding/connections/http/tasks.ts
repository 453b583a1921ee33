import { z } from 'zod'
import { within } from '../../../kit/process/background-work.ts'
import { explain } from '../../domain/cause.ts'
import type { ConnectionTask } from '../../domain/connection-task.ts'
import { route } from '../../http/route.ts'
import { CauseAnswer, Id, ReasonBody, time } from '../../http/schemas.ts'
import type { ConnectionFlows } from '../flows/connection-flows.ts'
import type { TaskInProgress } from '../flows/work-on-task.ts'
import { onConnection } from './on-connection.ts'

export const TaskAnswer = z.strictObject({
  id: z.string(),
  connection: z.string(),
  kind: z.enum(['disconnect', 'rollback']),
  status: z.enum(['pending', 'done', 'failed']).meta({ description: 'pending: it is carried on by itself.' }),
  step: z.string(),
  attempts: z.int().meta({ description: 'How often this step was tried in vain.' }),
  revocation: z
    .enum(['revoked', 'not_kept', 'not_offered', 'shared', 'refused'])
    .optional()
    .meta({ description: 'What became of the grant at the provider.' }),
  cause: CauseAnswer.optional().meta({ description: 'Why it failed, or what it last ran into.' }),
  createdAt: time,
  updatedAt: time,
})

export const taskAnswer = (task: ConnectionTask): z.input<typeof TaskAnswer> => ({
  id: task.id,
  connection: task.connectionId,
  kind: task.kind,
  status: task.step === 'done' || task.step === 'failed' ? task.step : 'pending',
  step: task.step,
  attempts: task.attempts,
  ...(task.notes.revocation && { revocation: task.notes.revocation }),
  // What it ran into on the way is over when it is done.
  ...(task.cause && task.step !== 'done' && { cause: explain(task.cause) }),
  createdAt: task.createdAt.toISOString(),
  updatedAt: task.updatedAt.toISOString(),
})

export type TaskApi = { flows: Pick<ConnectionFlows, 'rollback' | 'disconnect' | 'readTask'> }

/** Whoever asks waits this long to see how it goes on. */
const inlineMs = 8_000

const tag = 'Connections'
const params = { id: Id }

export const taskRoutes = ({ flows }: TaskApi) => [
  route({
    method: 'post',
    path: '/connections/{id}/rollback',
    name: 'rollBackConnection',
    summary: 'Go back to the grant before the last re-link, while it is kept',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: TaskAnswer },
    failures: ['connection_disconnected', 'connection_busy', 'rollback_impossible', 'integration_unavailable'],
    handle: async (input) => settled(await flows.rollback(onConnection(input))),
  }),
  route({
    method: 'post',
    path: '/connections/{id}/disconnect',
    name: 'disconnectConnection',
    summary: 'Revoke the grant where possible, and remove function and connection from the platform',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: TaskAnswer },
    failures: ['connection_disconnected', 'connection_busy'],
    handle: async (input) => settled(await flows.disconnect(onConnection(input))),
  }),
  route({
    method: 'get',
    path: '/connections/{id}/tasks/{task}',
    name: 'readTask',
    summary: 'Read how a disconnect or roll back is getting on',
    tag,
    params: { id: Id, task: Id },
    answers: { 200: TaskAnswer },
    handle: async ({ caller, params: { id, task } }) => {
      const read = await flows.readTask({ connectionId: id, task, tenant: caller.tenant })
      return { status: 200, body: taskAnswer(read) }
    },
  }),
]

const settled = async ({ task, done }: TaskInProgress) => ({
  status: 200,
  body: taskAnswer((await within(done, inlineMs)) ?? task),
})
