import type { Connection } from '../connection.ts'
import type { Import } from '../imports/import.ts'
import type { OwnClient } from '../integration.ts'
import type { Link } from '../link.ts'
import type { Erasure } from '../offboarding/erasure.ts'
import type { AuditLine } from '../ports/support-ledger.ts'
import type { Tenant } from '../tenant.ts'
import type { OutsideCall } from '../trace/outside-call.ts'
import type { Webhook } from '../webhooks/webhook.ts'

export type ExportRecord =
  | { type: 'tenant'; value: Tenant }
  | { type: 'oauth_client'; value: OwnClient }
  | { type: 'webhook'; value: Webhook }
  | { type: 'connection'; value: Connection }
  | { type: 'link'; value: ExportedLink }
  | { type: 'import'; value: Import }
  | { type: 'erasure'; value: Erasure }
  | { type: 'audit_entry'; value: AuditLine }

type ExportedLink = Link & { calls: readonly OutsideCall[] }

export type ExportSection = ExportRecord['type']

export const exportSections = [
  'tenant',
  'oauth_client',
  'webhook',
  'connection',
  'link',
  'import',
  'erasure',
  'audit_entry',
] as const satisfies ExportSection[]

export type ExportPosition = { section: ExportSection; cursor: string | undefined }

export const exportCursor = ({ section, cursor }: ExportPosition): string => `${section}:${cursor ?? ''}`

export const exportCursorPattern = new RegExp(`^(?:${exportSections.join('|')}):[\\w-]{0,100}$`)

export function exportPosition(cursor: string | undefined): ExportPosition {
  const [section, inner] = cursor?.split(':') ?? []
  return { section: (section as ExportSection | undefined) ?? exportSections[0], cursor: inner || undefined }
}

export function nextSection(section: ExportSection): ExportSection | undefined {
  return exportSections[exportSections.indexOf(section) + 1]
}
