import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '../../../../src/kit/database/pool.ts'
import { auditLines } from '../../../../src/onboarding/console/adapters/support-audit.ts'
import { anyAudit } from '../../../../src/onboarding/domain/ports/support-ledger.ts'
import { createTestDatabase } from '../../../support/processes/stores.ts'

/** Ids have gaps, and several entries may have the same time. */
const entries = [
  { id: 3, minute: 0 },
  { id: 4, minute: 0 },
  { id: 9, minute: 1 },
  { id: 20, minute: 3 },
  { id: 21, minute: 3 },
  { id: 22, minute: 4 },
  { id: 90, minute: 8 },
  { id: 91, minute: 9 },
]
const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 12) + minute * 60_000)

let pool: pg.Pool
beforeAll(async () => {
  pool = openPool(await createTestDatabase('onboarding'), { connections: 1 })
})
afterAll(() => pool.end())

const time = (minute: number | undefined) => (minute === undefined ? undefined : at(minute))

const idsBetween = async (from: Date | undefined, to: Date | undefined) =>
  (await auditLines(pool, { ...anyAudit, from, to, limit: 100, cursor: undefined })).data.map(({ id }) => id)

test('an empty audit log has no entries in any range', async () => {
  expect(await idsBetween(at(0), at(5))).toEqual([])
})

test('a time range includes its start and excludes its end, whatever the order of IDs', async () => {
  for (const { id, minute } of entries) {
    await pool.query(
      `insert into audit (id, at, action, actor_kind) overriding system value values ($1, $2, 'webhook.enabled', 'worker')`,
      [id, at(minute)],
    )
  }

  const minutes = [undefined, -1, 0, 0.5, 1, 2, 3, 3.5, 4, 6, 8, 9, 10]
  for (const from of minutes) {
    for (const to of minutes) {
      const isWithin = ({ minute }: { minute: number }) => minute >= (from ?? -9) && minute < (to ?? 99)
      const expected = entries.filter(isWithin).map(({ id }) => id)
      expect(await idsBetween(time(from), time(to)), `${from} to ${to}`).toEqual(expected.reverse())
    }
  }
})
