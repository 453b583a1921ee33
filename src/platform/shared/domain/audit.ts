import type { Caller } from './caller.ts'

export type Actor = {
  kind: Caller['kind'] | 'operator' | 'platform'
  id: string
  label: string
  credential: string
  requestId?: string | undefined
  address?: string | undefined
}

export const actorOf = ({ kind, id, label, credential, from }: Caller): Actor => ({
  kind,
  id,
  label,
  credential,
  ...from,
})

/** Commands use database access instead of a credential. */
export const operator: Actor = { kind: 'operator', id: '', label: 'operator', credential: 'command' }

export const scheduler: Actor = { kind: 'platform', id: '', label: 'schedule', credential: 'cron' }

/** Anybody who calls a public trigger. */
export const publicCaller: Actor = { kind: 'platform', id: '', label: 'public trigger', credential: 'none' }

export type AuditEvent = Actor & {
  seq: number
  at: Date
  action: string
  workspace: string | null
  resourceKind: string
  resourceName: string
  resourceId: string
}

export type AuditTrail = {
  ofWorkspace(workspace: string, before: number | undefined, limit: number): Promise<AuditEvent[]>
}
