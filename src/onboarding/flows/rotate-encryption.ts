import { type RotatedColumn, rewrapAll, type SealedRows } from '../../kit/process/rotate-encryption.ts'
import type { Actor } from '../domain/audit/audit.ts'
import type { Audit } from '../domain/ports/shared.ts'

export async function rotateEncryption(
  ports: { sealedRows: SealedRows; audit: Audit },
  actor: Actor,
): Promise<RotatedColumn[]> {
  const columns = await rewrapAll(ports.sealedRows)
  const rewrapped = Object.fromEntries(columns.map(({ column, rewrapped }) => [column, rewrapped]))
  const others = Object.fromEntries(columns.map(({ column, others }) => [column, others]))
  await ports.audit.note({ action: 'key.encryption_rotated', actor, facts: { rewrapped, others } })
  return columns
}
