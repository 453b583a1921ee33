import { explain } from '../cause.ts'
import type { TenantEvent, TenantEventName } from '../tenant-event.ts'

type NewId = (prefix: string) => string

export const sampleEvent = (name: TenantEventName, newId: NewId): Omit<TenantEvent, 'id'> => ({
  name,
  payload: payloads[name](newId),
})

const connection = (newId: NewId) => ({
  connectionId: newId('con'),
  integrationId: 'gmail',
  endUser: { id: 'sample-user' },
})

const link = (newId: NewId, purpose: 'link' | 'relink') => {
  const { connectionId, ...about } = connection(newId)
  return { linkId: newId('lnk'), purpose, connectSessionId: newId('ses'), ...about, connectionId }
}

const sampleApproval = { approvalId: 'AAAAAAAAAAAAAAAAAAAAAA', tool: 'send_message' }

const samplePage = {
  url: 'https://auth.platform.example/oauth/approval/AAAAAAAAAAAAAAAAAAAAAA',
  expiresAt: '2026-11-15T12:00:00.000Z',
}

const sampleRecord = (id: string) => ({
  position: 17,
  body: {
    kind: 'entry',
    id: '4711',
    occurredAt: '2026-11-15T09:30:02.123456Z',
    action: 'connection.disconnected',
    subject: { kind: 'connection', id },
    facts: { revocation: 'revoked' },
    actor: { kind: 'worker' },
  },
})

const payloads: Record<TenantEventName, (newId: NewId) => Record<string, unknown>> = {
  'link.succeeded': (newId) => link(newId, 'link'),
  'link.failed': (newId) => {
    const { connectionId: _, ...about } = link(newId, 'link')
    return { ...about, cause: explain('consent_denied') }
  },
  'connection.relinked': (newId) => link(newId, 'relink'),
  'connection.needs_relink': (newId) => ({ ...connection(newId), cause: explain('grant_revoked') }),
  'connection.health_unknown': (newId) => ({
    ...connection(newId),
    since: '2026-11-15T11:00:00.000Z',
    cause: explain('provider_unavailable'),
  }),
  'connection.grant_ends_soon': (newId) => ({ ...connection(newId), endsAt: '2026-11-29T11:00:00.000Z' }),
  'connection.tools_changed': (newId) => ({ ...connection(newId), held: true, added: 1, removed: 0, changed: 0 }),
  'connection.approval_requested': (newId) => ({ ...connection(newId), ...sampleApproval, ...samplePage }),
  'connection.approval_decided': (newId) => ({ ...connection(newId), ...sampleApproval, outcome: 'once' }),
  'connection.disconnected': (newId) => ({ ...connection(newId), revocation: 'revoked' }),
  'end_user.erased': (newId) => ({ erasureId: newId('ers') }),
  'tenant.deleted': () => ({}),
  'audit.recorded': (newId) => ({ first: 17, last: 17, records: [sampleRecord(newId('con'))] }),
}
