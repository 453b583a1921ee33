import type pg from 'pg'
import type { Keyring } from '../../kit/crypto/sealed-box.ts'
import { type ExportSettings, openDestinations } from '../../kit/export/open-destinations.ts'
import type { AuditChainPorts } from '../domain/ports/audit-chain.ts'
import type { Audit } from '../domain/ports/shared.ts'
import { postgresAudit } from './postgres/audit.ts'
import { type OpenedChain, openAuditChain } from './postgres/audit-chain/audit-chain.ts'

type AuditParts = { keyring: Keyring; auditExport: ExportSettings }

type OpenedAudit = Pick<OpenedChain, 'eraseEntries' | 'withHeads'> & {
  ports: AuditChainPorts & { audit: Audit }
  close(): Promise<void>
}

export function openAudit(pool: pg.Pool, { keyring, auditExport: settings }: AuditParts): OpenedAudit {
  const { eraseEntries, withHeads, exported, ...chain } = openAuditChain(pool, keyring)
  const { destinations, close } = openAuditDestinations(settings)
  const ports = { audit: postgresAudit(pool), ...chain, auditExport: { ...exported, destinations } }
  return { ports, eraseEntries, withHeads, close }
}

export const openAuditDestinations = (settings: ExportSettings) =>
  openDestinations(settings, { service: 'causeway-onboarding', scope: 'causeway.audit', type: 'audit.records' })
