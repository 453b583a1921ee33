import { within } from '../../../kit/process/background-work.ts'
import { sightOf } from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import { Id, ReasonBody } from '../../http/schemas.ts'
import type { ConnectionFlows } from '../flows/connection-flows.ts'
import type { TaskInProgress } from '../flows/work-on-task.ts'
import { onConnection } from './on-connection.ts'
import { TaskAnswer, taskAnswer } from './task-answer.ts'

export type TaskApi = { flows: Pick<ConnectionFlows, 'rollback' | 'disconnect' | 'readTask'> }

/** Whoever asks waits this long to see how it continues. */
const inlineMs = 8_000

const tag = 'Connections'
const params = { connectionId: Id }

export const taskRoutes = ({ flows }: TaskApi) => [
  route({
    method: 'post',
    path: '/connections/{connectionId}/rollback',
    operationId: 'rollBackConnection',
    summary: 'Roll back a connection',
    description:
      'Puts the grant from before the last re-link back in use, after testing it. Possible for a day, and only where that grant is stored and still works.',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: TaskAnswer },
    failures: ['connection_disconnected', 'connection_busy', 'rollback_impossible', 'integration_unavailable'],
    handle: async (input) => settled(await flows.rollback(onConnection(input))),
  }),
  route({
    method: 'post',
    path: '/connections/{connectionId}/disconnect',
    operationId: 'disconnectConnection',
    summary: 'Disconnect a connection',
    description:
      'Revokes the grant at the provider where that is possible, then removes function and connection from the platform. It is retried until it is done, and cannot be undone. Only if workers crash over it again and again does it fail; it can then be asked for once more.',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: TaskAnswer },
    failures: ['connection_disconnected', 'connection_busy'],
    handle: async (input) => settled(await flows.disconnect(onConnection(input))),
  }),
  route({
    method: 'get',
    path: '/connections/{connectionId}/tasks/{taskId}',
    operationId: 'getConnectionTask',
    summary: 'Get a task of a connection',
    description: 'How far a disconnect or a rollback has come.',
    tag,
    params: { ...params, taskId: Id },
    answers: { 200: TaskAnswer },
    handle: async ({ caller, params: { connectionId, taskId } }) => {
      const task = await flows.readTask({ connectionId, task: taskId, ...sightOf(caller) })
      return { status: 200, body: taskAnswer(task) }
    },
  }),
]

const settled = async ({ task, done }: TaskInProgress) => ({
  status: 200,
  body: taskAnswer((await within(done, inlineMs)) ?? task),
})
