// After waiting for a row lock, a statement sees the current row but the old state of other tables.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { type PostgresLedger, postgresLedger } from '../../ledger-contract/postgres-ledger.ts'

let ledger: PostgresLedger
let connection: Connection
let opened = 0

beforeAll(async () => {
  ledger = await postgresLedger()
})
beforeEach(async () => {
  await ledger.clear()
  await ledger.addTenant()
  connection = await ledger.addConnection()
})
afterAll(() => ledger.close())

const openTask = async () => {
  const about = { reason: 'asked for', actor: { kind: 'operator' as const, id: 'ops' }, notes: {} }
  const task = { id: `tsk_${++opened}`, connectionId: connection.id, kind: 'disconnect', step: 'revoking' } as const
  const audit = auditEntry('disconnect.started', { connection: connection.id })
  return (await ledger.tasks.open({ ...task, ...about }, audit)) !== undefined
}
const lockForRelink = async () => {
  const session = await ledger.addSession({ connectionId: connection.id })
  const link = await ledger.escrow(await ledger.openLink(session))
  return () => ledger.connections.lock(connection.id, link.id)
}

async function atOnce(...contenders: Array<() => Promise<boolean>>): Promise<boolean[]> {
  const client = await ledger.pool.connect()
  try {
    await client.query('begin')
    await client.query('select from connections where id = $1 for update', [connection.id])
    const outcomes: Array<Promise<boolean>> = []
    for (const contend of contenders) {
      outcomes.push(contend())
      while ((await waiting()) < outcomes.length) await sleep(5)
    }
    await client.query('commit')
    return await Promise.all(outcomes)
  } finally {
    client.release()
  }
}

async function waiting(): Promise<number> {
  const { rows } = await ledger.pool.query(`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0].count
}

test('of concurrent tasks that found the connection unlocked, one is opened', async () => {
  expect(await atOnce(openTask, openTask, openTask)).toEqual([true, false, false])
})

test('a re-link does not take the lock of a task that was opened while it waited', async () => {
  expect(await atOnce(openTask, await lockForRelink())).toEqual([true, false])
})

test('a task is not opened if a re-link locked the connection while the task waited', async () => {
  expect(await atOnce(await lockForRelink(), openTask)).toEqual([true, false])
})

test('a health check does not take the lock of a task that was opened while it waited', async () => {
  expect(await atOnce(openTask, () => ledger.connections.lockBriefly(connection.id, 'check'))).toEqual([true, false])
})
