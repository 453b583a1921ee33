import type pg from 'pg'
import type { Keyring } from '../../../../kit/crypto/sealed-box.ts'
import { signingKeys } from '../../../../kit/crypto/signing-keys.ts'
import { exportPositions } from '../../../../kit/export/export-positions.ts'
import type { SealedRows } from '../../../../kit/process/rotate-encryption.ts'
import type { AuditChainPorts } from '../../../domain/ports/audit-chain.ts'
import { knownEnds } from './chain-tail.ts'
import { postgresChains } from './chains.ts'
import { type EraseEntries, entryEraser } from './erased-entries.ts'
import { auditExportTable, blocksAfter } from './exports.ts'
import { postgresRetention } from './retention.ts'
import { postgresSealer } from './sealer.ts'
import { withSignedHeads } from './signed-heads.ts'

export type OpenedChain = Omit<AuditChainPorts, 'auditExport'> & {
  exported: Omit<AuditChainPorts['auditExport'], 'destinations'>
  eraseEntries: EraseEntries
  /** Adds the signatures of heads to what a rotation of keys renews. */
  withHeads(sealedRows: SealedRows): SealedRows
}

export function openAuditChain(pool: pg.Pool, keyring: Keyring): OpenedChain {
  const keys = signingKeys(keyring, 'causeway audit heads')
  const known = knownEnds()
  return {
    auditSealer: postgresSealer(pool, keys, known),
    auditChains: postgresChains(pool, keys),
    auditRetention: postgresRetention(pool, keys, known),
    exported: { positions: exportPositions(pool, auditExportTable), blocksAfter: blocksAfter(pool) },
    eraseEntries: entryEraser(keys),
    withHeads: (sealedRows) => withSignedHeads(sealedRows, pool, keys),
  }
}
