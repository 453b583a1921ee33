// The generated methods, and methods that do more than one request.
import { ArgumentError, LinkError, TaskError } from './errors.ts'
import { generatedResources } from './generated-resources.ts'
import { List, type ListQuery } from './lists.ts'
import type { RelayFetch } from './relay.ts'
import type { CallOptions, Send } from './transport.ts'
import type { ConnectionTask, Erasure, Link, LinkedLink, LinkOutcome, TenantDeletion } from './types.ts'
import { type WaitOptions, waitFor } from './waiting.ts'
import { verifyWebhook } from './webhook-messages.ts'

export function resources(send: Send, fetch: RelayFetch) {
  const generated = generatedResources(send)
  return {
    ...generated,
    connections: { ...generated.connections, ...connections(send), fetch },
    erasures: { ...generated.erasures, ...erasures(send) },
    links: { ...generated.links, ...links(send) },
    tenants: { ...generated.tenants, ...tenants(send) },
    webhooks: { ...generated.webhooks, verify: verifyWebhook },
  }
}

const connections = (send: Send) => ({
  list: (query?: ListQuery<'listConnections'>, options?: CallOptions) => {
    // Otherwise a visitor who is not signed in would get the connections of all users.
    if (query && 'endUserId' in query && query.endUserId === undefined) {
      throw new ArgumentError('endUserId is undefined. To list the connections of all users, leave it out.')
    }
    return new List(send, 'listConnections', { query }, options)
  },

  /** Waits while the task is `pending`. Throws TaskError if it failed. */
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

const erasures = (send: Send) => ({
  waitFor: (erasureId: string, options: WaitOptions = {}): Promise<Erasure> => {
    const read = () => send('getErasure', { params: { erasureId } }, { signal: options.signal })
    return waitFor(read, ({ status }) => status !== 'pending', options)
  },
})

const links = (send: Send) => ({
  get: (linkId: string, options?: CallOptions) =>
    send('getLink', { params: { linkId } }, options) as Promise<LinkOutcome>,

  /** Waits while the link is `pending`. Throws LinkError unless it ends `linked`. */
  wait: async (linkId: string, options: WaitOptions = {}): Promise<LinkedLink> => {
    const read = () => send('getLink', { params: { linkId } }, { signal: options.signal })
    const link = await waitFor(read, ({ status }) => status !== 'pending', options)
    assertLinked(link)
    return link
  },
})

const tenants = (send: Send) => ({
  waitForDeletion: (tenantId: string, options: WaitOptions = {}): Promise<TenantDeletion> => {
    const read = () => send('getTenantDeletion', { params: { tenantId } }, { signal: options.signal })
    return waitFor(read, ({ status }) => status !== 'pending', options)
  },
})

/** Throws LinkError unless the link is `linked`. */
export function assertLinked(link: Link): asserts link is LinkedLink {
  if (link.status !== 'linked' || !link.connection || !link.connectionId) throw new LinkError(link)
}
