import { type RotatedColumn, rewrapAll, type SealedRows } from '../../kit/process/rotate-encryption.ts'
import type { Actor } from '../domain/audit/audit.ts'
import type { Audit } from '../domain/ports/shared.ts'

type Needs = { sealedRows: SealedRows; audit: Audit }

/** Puts everything that is sealed under the first key, while all goes on. Doing it again changes nothing. */
export const rotateEncryption =
  (needs: Needs) =>
  async (actor: Actor): Promise<RotatedColumn[]> => {
    const columns = await rewrapAll(needs.sealedRows)
    const rewrapped = Object.fromEntries(columns.map(({ column, rewrapped }) => [column, rewrapped]))
    const others = Object.fromEntries(columns.map(({ column, others }) => [column, others]))
    await needs.audit.note({ action: 'key.encryption_rotated', actor, facts: { rewrapped, others } })
    return columns
  }
