import type pg from 'pg'
import type { Keyring } from '../../kit/crypto/sealed-box.ts'
import { ndjsonFolder } from '../../kit/export/ndjson-folder.ts'
import { otlpLogs } from '../../kit/export/otlp-logs.ts'
import type { GuardedFetch } from '../../kit/fetch/guarded-fetch.ts'
import type { AuditChainPorts, AuditDestination } from '../domain/ports/audit-chain.ts'
import type { Audit } from '../domain/ports/shared.ts'
import { postgresAudit } from './postgres/audit.ts'
import { type OpenedChain, openAuditChain } from './postgres/audit-chain/audit-chain.ts'

type Destinations = { folder: string | undefined; otlp: string | undefined; headers: Readonly<Record<string, string>> }

type AuditParts = { keyring: Keyring; fetch: GuardedFetch; destinations: Destinations }

type OpenedAudit = Pick<OpenedChain, 'eraseEntries' | 'withHeads'> & { ports: AuditChainPorts & { audit: Audit } }

export function openAudit(pool: pg.Pool, { keyring, fetch, destinations }: AuditParts): OpenedAudit {
  const { eraseEntries, withHeads, ...chain } = openAuditChain(pool, keyring)
  const ports = { audit: postgresAudit(pool), ...chain, auditDestinations: auditDestinations(fetch, destinations) }
  return { ports, eraseEntries, withHeads }
}

export function auditDestinations(fetch: GuardedFetch, { folder, otlp, headers }: Destinations): AuditDestination[] {
  const exporter = { service: 'causeway-onboarding', scope: 'causeway.audit', headers }
  return [
    ...(folder === undefined ? [] : [ndjsonFolder(folder)]),
    ...(otlp === undefined ? [] : [otlpLogs(fetch, { ...exporter, endpoint: otlp })]),
  ]
}
