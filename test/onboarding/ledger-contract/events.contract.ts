import { beforeEach, describe, expect, test } from 'vitest'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const eventPromises = ({ ledger: opened }: Contract) =>
  describe('events', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
      await ledger.addTenant('globex')
    })

    const append = async (tenant = 'acme', id = ledger.tokens.id('evt')) => {
      const written = { id, name: 'tenant.deleted', payload: { n: 1 } } as const
      const event = await ledger.eventLog.append(tenant, written, auditEntry('event.triggered'))
      // PostgreSQL lists an event when no earlier transaction is open in any database of the server.
      await waitFor('the event is listed', async () =>
        (await ledger.eventLog.list({ ...all, tenant })).data.some((listed) => listed.id === id),
      )
      return event
    }
    const all = { tenant: 'acme', order: 'oldest', cursor: undefined, limit: 100 } as const

    test('lists events in write order, per tenant', async () => {
      const [first, second] = [await append(), await append()]
      await append('globex')

      const oldest = await ledger.eventLog.list(all)
      const newest = await ledger.eventLog.list({ ...all, order: 'newest' })

      expect(oldest.data).toEqual([first, second])
      expect(newest.data).toEqual([second, first])
    })

    test('an event that is there already is not appended again, and noted once in the audit log', async () => {
      const event = { id: ledger.tokens.id('evt'), name: 'tenant.deleted', payload: { n: 1 } } as const
      const entry = auditEntry('event.triggered')

      await Promise.all([1, 2, 3].map(() => ledger.eventLog.appendOnce('acme', event, entry)))
      await append()

      const { data } = await ledger.eventLog.list(all)
      expect(data.filter(({ id }) => id === event.id)).toHaveLength(1)
      expect((await ledger.noted()).filter(({ action }) => action === 'event.triggered')).toHaveLength(2)
    })

    test('a cursor continues from the same event in both orders', async () => {
      const written = [await append(), await append(), await append()]

      const page = await ledger.eventLog.list({ ...all, limit: 2 })
      const rest = await ledger.eventLog.list({ ...all, cursor: page.nextCursor })
      const none = await ledger.eventLog.list({ ...all, cursor: written.at(-1)?.cursor })
      const before = await ledger.eventLog.list({ ...all, order: 'newest', cursor: written.at(-1)?.cursor })

      expect(page.data).toEqual(written.slice(0, 2))
      expect(rest).toEqual({ data: [written[2]], nextCursor: undefined })
      expect(none.data).toEqual([])
      expect(before.data).toEqual([written[1], written[0]])
    })

    test('orders events by when they were written, not by ID', async () => {
      const early = `evt_${'0'.repeat(25)}`
      const first = await append()
      const late = await append('acme', early)

      const behind = await ledger.eventLog.list({ ...all, cursor: first.cursor })

      expect(early < first.id).toBe(true)
      expect(behind.data).toEqual([late])
    })

    test('writes an event once', async () => {
      const event = await append()
      const again = await append('acme', event.id)

      expect(again).toEqual(event)
      expect((await ledger.eventLog.list(all)).data).toEqual([event])
    })
  })
