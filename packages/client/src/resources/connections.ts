import { ArgumentError, TaskError } from '../errors.ts'
import { List, type ListQuery } from '../lists.ts'
import type { CallOptions, Send } from '../transport.ts'
import type { Body, ConnectionTask } from '../types.ts'
import { type WaitOptions, waitFor } from '../waiting.ts'

/** Linked accounts: their health, and what can be done about it. */
export const connections = (send: Send) => ({
  list: (query?: ListQuery<'listConnections'>, options?: CallOptions) => {
    // A user who is not signed in would be shown what everybody has connected.
    if (query && 'endUserId' in query && query.endUserId === undefined) {
      throw new ArgumentError('endUserId is undefined. To list the connections of all users, leave it out.')
    }
    return new List(send, 'listConnections', { query }, options)
  },

  /** `locale`: the language of `causeForUser`, which is English without it. */
  get: (connectionId: string, { locale, ...options }: CallOptions & { locale?: string | undefined } = {}) =>
    send('getConnection', { params: { connectionId }, query: { locale } }, options),

  /**
   * Send `url` of the answer to its user, to sign in again. A user who is here now, and comes back to a return page with
   * `finish`, is sent there by `connect.beginRelink`.
   */
  createRelinkSession: (connectionId: string, body: Body<'createRelinkSession'>, options?: CallOptions) =>
    send('createRelinkSession', { params: { connectionId }, body }, options),

  /** Uses the connection once, now. */
  checkHealth: (connectionId: string, body: Body<'createHealthCheck'>, options?: CallOptions) =>
    send('createHealthCheck', { params: { connectionId }, body }, options),

  /** The connection and its last checks. `locale` as for `get`. */
  getHealth: (connectionId: string, { locale, ...options }: CallOptions & { locale?: string | undefined } = {}) =>
    send('getConnectionHealth', { params: { connectionId }, query: { locale } }, options),

  /** Asks its function for its tools. The grant is not used. */
  verify: (connectionId: string, body: Body<'verifyConnection'>, options?: CallOptions) =>
    send('verifyConnection', { params: { connectionId }, body }, options),

  /** Puts the grant from before the last re-link back in use. `waitForTask` waits until that is done. */
  rollback: (connectionId: string, body: Body<'rollBackConnection'>, options?: CallOptions) =>
    send('rollBackConnection', { params: { connectionId }, body }, options),

  /** Revokes the grant and removes the connection, for good. `waitForTask` waits until that is done. */
  disconnect: (connectionId: string, body: Body<'disconnectConnection'>, options?: CallOptions) =>
    send('disconnectConnection', { params: { connectionId }, body }, options),

  /** Redirect the signed-in end user to `url` of the answer, to open the function in an MCP client of their own. */
  createFunctionLogin: (connectionId: string, body: Body<'createFunctionLogin'> = {}, options?: CallOptions) =>
    send('createFunctionLogin', { params: { connectionId }, body }, options),

  /** The MCP clients that its end user allowed. */
  listFunctionGrants: (connectionId: string, options?: CallOptions) =>
    new List(send, 'listFunctionGrants', { params: { connectionId } }, options),

  revokeFunctionGrant: (connectionId: string, grantId: string, options?: CallOptions) =>
    send('revokeFunctionGrant', { params: { connectionId, grantId } }, options),

  /** The tools of the vendor's own MCP server behind it: what agents see, and what waits for approval. */
  getToolList: (connectionId: string, options?: CallOptions) =>
    send('readToolList', { params: { connectionId } }, options),

  /** Approves the change with this hash, which is that of `pending` in the tool list you have reviewed. */
  approveToolList: (connectionId: string, body: Body<'approveToolList'>, options?: CallOptions) =>
    send('approveToolList', { params: { connectionId }, body }, options),

  getTask: (connectionId: string, taskId: string, options?: CallOptions) =>
    send('getConnectionTask', { params: { connectionId, taskId } }, options),

  /** Waits while a task is `pending`. Throws TaskError if it failed, with the cause and whose move it is. */
  waitForTask: async (
    { id, connectionId }: Pick<ConnectionTask, 'id' | 'connectionId'>,
    options: WaitOptions = {},
  ): Promise<ConnectionTask> => {
    const read = () => send('getConnectionTask', { params: { connectionId, taskId: id } }, { signal: options.signal })
    const task = await waitFor(read, ({ status }) => status !== 'pending', options)
    if (task.status === 'failed') throw new TaskError(task)
    return task
  },
})
