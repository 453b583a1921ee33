import type pg from 'pg'
import type { Keyring } from '../../kit/crypto/sealed-box.ts'
import type { ExportState } from '../../kit/export/export-positions.ts'
import { type ExportSettings, openDestinations } from '../../kit/export/open-destinations.ts'
import { askedSeldom } from '../../kit/process/metrics.ts'
import type { AuditChainPorts } from '../domain/ports/audit-chain.ts'
import type { Audit } from '../domain/ports/shared.ts'
import { postgresAudit } from './postgres/audit.ts'
import { type OpenedChain, openAuditChain } from './postgres/audit-chain/audit-chain.ts'
import { auditExportStates } from './postgres/audit-chain/exports.ts'

type AuditParts = { keyring: Keyring; auditExport: ExportSettings }

type OpenedAudit = Pick<OpenedChain, 'eraseEntries' | 'withHeads'> & {
  ports: AuditChainPorts & { audit: Audit }
  exportStates(): Promise<ExportState[]>
  close(): Promise<void>
}

const readEveryMs = 10_000

export function openAudit(pool: pg.Pool, { keyring, auditExport: settings }: AuditParts): OpenedAudit {
  const { eraseEntries, withHeads, exported, ...chain } = openAuditChain(pool, keyring)
  const { destinations, close } = openAuditDestinations(settings)
  const ports = { audit: postgresAudit(pool), ...chain, auditExport: { ...exported, destinations } }
  const names = destinations.map(({ name }) => name)
  const exportStates = askedSeldom(() => auditExportStates(pool, names), readEveryMs)
  return { ports, eraseEntries, withHeads, exportStates, close }
}

export const openAuditDestinations = (settings: ExportSettings) =>
  openDestinations(settings, { service: 'causeway-onboarding', scope: 'causeway.audit', type: 'audit.records' })
