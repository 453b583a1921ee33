import { describe, expect, test } from 'vitest'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'

export const auditPromises = ({ ledger }: Contract) =>
  describe('audit log', () => {
    test('keeps entries in order, with their subjects', async () => {
      const { audit, noted } = ledger()
      await audit.note(auditEntry('callback.rejected', { tenant: 'acme', link: 'lnk_1', connection: 'con_1' }))
      await audit.note(auditEntry('authz.denied'))

      expect(await noted()).toMatchObject([
        { action: 'callback.rejected', tenant: 'acme', link: 'lnk_1', connection: 'con_1' },
        { action: 'authz.denied', tenant: undefined },
      ])
    })

    test('an audit entry may refer to a tenant or link that does not exist', async () => {
      const { audit, noted } = ledger()

      await audit.note(auditEntry('callback.rejected', { tenant: 'nobody', link: 'lnk_0' }))

      expect(await noted()).toHaveLength(1)
    })
  })
