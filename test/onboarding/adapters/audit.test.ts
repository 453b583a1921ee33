import { afterAll, beforeAll, expect, test } from 'vitest'
import { execute, sql } from '../../../src/kit/database/sql.ts'
import { changeAudited, postgresAudit } from '../../../src/onboarding/adapters/postgres/audit.ts'
import { audited, type LedgerWorld, openLedger } from '../../support/worlds/ledger.ts'

let ledger: LedgerWorld

beforeAll(async () => {
  ledger = await openLedger()
  await postgresAudit(ledger.pool).note({
    action: 'key.created',
    actor: { kind: 'api_key', id: 'key_1', requestId: 'req_1', address: '192.0.2.1' },
    subject: { kind: 'api_key', id: 'key_2' },
    tenant: 'acme',
    facts: { name: 'ci' },
  })
})
afterAll(() => ledger.close())

const entries = async () => (await ledger.pool.query('select * from audit order by id')).rows

test('an entry records actor, action, subject, time and request', async () => {
  expect(await entries()).toMatchObject([
    {
      action: 'key.created',
      actor_kind: 'api_key',
      actor_id: 'key_1',
      tenant: 'acme',
      subject_kind: 'api_key',
      subject_id: 'key_2',
      facts: { name: 'ci' },
      request_id: 'req_1',
      address: '192.0.2.1',
      at: expect.any(Date),
    },
  ])
})

test.each(["update audit set actor_id = 'somebody else'", 'delete from audit', 'truncate audit'])(
  '"%s" is rejected: the audit log is append-only',
  async (statement) => {
    const before = await entries()

    await expect(ledger.pool.query(statement)).rejects.toThrow('only ever added to')

    expect(await entries()).toEqual(before)
  },
)

test('a change that fails is not audited', async () => {
  const changed = await changeAudited(ledger.pool, audited('key.revoked'), async () => 0)

  expect(changed).toBe(false)
  expect((await entries()).filter(({ action }) => action === 'key.revoked')).toEqual([])
})

test('a change that cannot be audited is rolled back', async () => {
  const tooMuch = { ...audited('campaign.cancelled'), reason: '\u0000' } // PostgreSQL has no text with this character

  const change = changeAudited(ledger.pool, tooMuch, (transaction) =>
    execute(transaction, sql`insert into api_keys (id, digest, name, last_four) values ('key_3', 'd', 'n', '1234')`),
  )

  await expect(change).rejects.toThrow()
  expect((await ledger.pool.query('select id from api_keys')).rows).toEqual([])
})
