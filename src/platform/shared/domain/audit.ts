import type { Caller } from './caller.ts'

/** Who is written down for a change. */
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

/** Commands run with access to the database and need no credential. */
export const operator: Actor = { kind: 'operator', id: '', label: 'operator', credential: 'command' }

/** For what a schedule starts. Who wrote the schedule is recorded with the change of the job. */
export const scheduler: Actor = { kind: 'platform', id: '', label: 'schedule', credential: 'cron' }

export type AuditEvent = Actor & {
  seq: number
  at: Date
  action: string
  workspace: string | null
  resourceKind: string
  resourceName: string
  resourceId: string
}

/** Newest first. */
export type AuditTrail = {
  ofWorkspace(workspace: string, before: number | undefined, limit: number): Promise<AuditEvent[]>
}
