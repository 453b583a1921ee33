import { List, type ListQuery } from '../lists.ts'
import type { CallOptions, Send } from '../transport.ts'
import type { Body } from '../types.ts'

/** What can be linked, and with which OAuth clients. */
export const integrations = (send: Send) => ({
  list: (query?: ListQuery<'listIntegrations'>, options?: CallOptions) =>
    new List(send, 'listIntegrations', { query }, options),

  /** OAuth clients of a tenant's own, without their secrets. */
  listClients: (tenantId: string, options?: CallOptions) =>
    new List(send, 'listOAuthClients', { params: { tenantId } }, options),

  putClient: (tenantId: string, integrationId: string, body: Body<'putOAuthClient'>, options?: CallOptions) =>
    send('putOAuthClient', { params: { tenantId, integrationId }, body }, options),

  deleteClient: (tenantId: string, integrationId: string, options?: CallOptions) =>
    send('deleteOAuthClient', { params: { tenantId, integrationId } }, options),
})
