// What the sample puts into the ledger, table by table, before any of it is written.
import { idsSince } from '../../adapters/crypto/tokens.ts'
import type { AuditEntry } from '../../domain/audit/audit-entry.ts'
import type { Tokens } from '../../domain/ports/shared.ts'

/** A row by the names of its columns; all rows of a table have the same ones. */
export type Row = Readonly<Record<string, unknown>>

/** In the order in which they can be written: what refers to something comes after it. */
export const sampleTables = [
  'api_keys',
  'connections',
  'connect_sessions',
  'links',
  'stored_grants',
  'health_checks',
  'connection_tasks',
  'campaigns',
  'campaign_members',
  'outbox',
  'webhook_deliveries',
] as const
export type SampleTable = (typeof sampleTables)[number]

export type Draft = { rows: Record<SampleTable, Row[]>; audit: Array<{ at: Date; entry: AuditEntry }> }

export const emptyDraft = (): Draft => ({
  rows: Object.fromEntries(sampleTables.map((table) => [table, [] as Row[]])) as Draft['rows'],
  audit: [],
})

export type MakeId = (prefix: string, at: Date) => string

/** Ids sort by time, and pages read the time in them: so they are as old as what they name. */
export function idMaker({ nameDigest }: Pick<Tokens, 'nameDigest'>): MakeId {
  let count = 0
  return (prefix, at) => `${idsSince(prefix, at)}${nameDigest(`sample ${count++}`).slice(0, 16)}`
}

export const later = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1_000)

export const daySeconds = 24 * 60 * 60
