import { List, type ListQuery } from '../lists.ts'
import type { CallOptions, Send } from '../transport.ts'
import type { Body, TenantDeletion } from '../types.ts'
import { type WaitOptions, waitFor } from '../waiting.ts'

/** Customers of the deployment. Most of it is for keys of the deployment. */
export const tenants = (send: Send) => ({
  list: (query?: ListQuery<'listTenants'>, options?: CallOptions) => new List(send, 'listTenants', { query }, options),

  /** Keep `signingSecret` of the answer: it is shown only once. */
  create: (body: Body<'createTenant'>, options?: CallOptions) => send('createTenant', { body }, options),

  get: (tenantId: string, options?: CallOptions) => send('getTenant', { params: { tenantId } }, options),

  /** Creates or replaces it, under an id that you choose. */
  put: (tenantId: string, body: Body<'putTenant'>, options?: CallOptions) =>
    send('putTenant', { params: { tenantId }, body }, options),

  /** Members that are absent stay as they are. It is not repeated if it fails. */
  update: (tenantId: string, body: Body<'updateTenant'>, options?: CallOptions) =>
    send('updateTenant', { params: { tenantId }, body }, options),

  /** Nothing new begins for it; what it has goes on. */
  suspend: (tenantId: string, options?: CallOptions) => send('suspendTenant', { params: { tenantId } }, options),

  reactivate: (tenantId: string, options?: CallOptions) => send('reactivateTenant', { params: { tenantId } }, options),

  /** `image`: a PNG, JPEG or WebP file in base64, as `readFileSync('logo.png', 'base64')` gives it. */
  putLogo: (tenantId: string, colorScheme: 'light' | 'dark', body: Body<'putLogo'>, options?: CallOptions) =>
    send('putLogo', { params: { tenantId, colorScheme }, body }, options),

  deleteLogo: (tenantId: string, colorScheme: 'light' | 'dark', options?: CallOptions) =>
    send('deleteLogo', { params: { tenantId, colorScheme } }, options),

  /** Everything of theirs, record by record. `type` says what each is. */
  export: (tenantId: string, query?: ListQuery<'exportTenant'>, options?: CallOptions) =>
    new List(send, 'exportTenant', { params: { tenantId }, query }, options),

  /** Ends everything of theirs, for good. `waitForDeletion` waits until that is done. */
  delete: (tenantId: string, options?: CallOptions) => send('deleteTenant', { params: { tenantId } }, options),

  getDeletion: (tenantId: string, options?: CallOptions) =>
    send('getTenantDeletion', { params: { tenantId } }, options),

  waitForDeletion: (tenantId: string, options: WaitOptions = {}): Promise<TenantDeletion> => {
    const read = () => send('getTenantDeletion', { params: { tenantId } }, { signal: options.signal })
    return waitFor(read, ({ status }) => status !== 'pending', options)
  },

  rotateSigningSecret: (tenantId: string, body: Body<'rotateSigningSecret'> = {}, options?: CallOptions) =>
    send('rotateSigningSecret', { params: { tenantId }, body }, options),
})
