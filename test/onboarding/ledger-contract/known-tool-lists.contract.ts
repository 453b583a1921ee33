import { beforeEach, describe, expect, test } from 'vitest'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import type { ToolListNews } from '../../../src/onboarding/domain/ports/tool-lists.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const knownToolListPromises = ({ ledger: opened, racing }: Contract) =>
  describe('known tool lists', () => {
    let ledger: Ledger
    let connection: Connection
    let events = 0
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
      connection = await ledger.addConnection()
    })

    const remember = (hash: string, tell: ToolListNews['tell']) =>
      ledger.knownToolLists.remember({
        connection,
        hash,
        tell,
        audit: auditEntry('connection.tools_changed'),
        event: { id: `evt_${++events}`, name: 'connection.tools_changed', payload: { connectionId: connection.id } },
      })
    const told = async () => (await ledger.events()).filter(({ name }) => name === 'connection.tools_changed').length
    const noted = async () =>
      (await ledger.noted()).filter(({ action }) => action === 'connection.tools_changed').length

    test('announces each list once, and the first one only on request', async () => {
      await remember('a', 'if_known')
      const first = await told()
      for (const hash of ['b', 'b', 'c']) await remember(hash, 'if_known')
      await remember('d', 'never')
      await remember('d', 'first_too')

      expect([first, await told(), await noted()]).toEqual([0, 2, 2])
    })

    test('announces the first list on request', async () => {
      await remember('a', 'first_too')

      expect(await told()).toBe(1)
    })

    racing('one of several concurrent checks announces the list', async () => {
      await Promise.all([1, 2, 3, 4].map(() => remember('a', 'first_too')))

      expect([await told(), await noted()]).toEqual([1, 1])
    })
  })
