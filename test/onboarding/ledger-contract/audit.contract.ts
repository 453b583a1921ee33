import { describe, expect, test } from 'vitest'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'

export const auditPromises = ({ ledger }: Contract) =>
  describe('the record', () => {
    test('entries are kept in their order, with what they are about', async () => {
      const { audit, noted } = ledger()
      await audit.note(auditEntry('callback.rejected', { tenant: 'acme', link: 'lnk_1', connection: 'con_1' }))
      await audit.note(auditEntry('authz.denied'))

      expect(await noted()).toMatchObject([
        { action: 'callback.rejected', tenant: 'acme', link: 'lnk_1', connection: 'con_1' },
        { action: 'authz.denied', tenant: undefined },
      ])
    })

    test('a thing need not be there to be on record: who was turned away may have named anything', async () => {
      const { audit, noted } = ledger()

      await audit.note(auditEntry('callback.rejected', { tenant: 'nobody', link: 'lnk_0' }))

      expect(await noted()).toHaveLength(1)
    })
  })
