// The month that `npm start -- --sample` makes up.
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/kit/crypto/digest.ts'
import { sampleHistory } from '../../../src/onboarding/cli/sample/history.ts'
import { causeCodes } from '../../../src/onboarding/domain/cause.ts'
import { connectionStatuses } from '../../../src/onboarding/domain/connection.ts'
import { healthOutcomes } from '../../../src/onboarding/domain/health/health.ts'
import { linkStates } from '../../../src/onboarding/domain/link.ts'
import { deliveryStatuses } from '../../../src/onboarding/domain/webhooks/delivery.ts'

const now = new Date('2026-03-18T15:30:00Z')
const tokens = {
  nameDigest: (text: string) =>
    sha256(text)
      .toLowerCase()
      .replaceAll(/[^0-9a-z]/g, '0'),
}
const make = () => sampleHistory({ now, tokens, webhookOf: (tenant) => `whk_${tenant}` })
const { rows, audit } = make()

const valuesOf = (table: keyof typeof rows, column: string) => new Set(rows[table].map((row) => row[column]))

describe('the sample', () => {
  test('is the same every time but for its dates', () => {
    expect(JSON.stringify(make()) === JSON.stringify({ rows, audit })).toBe(true)
  })

  test.each([
    ['every state of a link', 'links', 'state', linkStates],
    ['every cause', 'links', 'cause', causeCodes],
    ['every status of a connection', 'connections', 'status', connectionStatuses],
    ['every outcome of a check', 'health_checks', 'outcome', healthOutcomes],
    ['every status of a delivery', 'webhook_deliveries', 'status', deliveryStatuses],
  ] as const)('has %s', (_what, table, column, all) => {
    expect([...valuesOf(table, column)]).toEqual(expect.arrayContaining([...all]))
  })

  test('has links on each of thirty days, and none that happened later than now', () => {
    const times = rows.links.map(({ created_at }) => created_at as Date)
    const days = new Set(times.map((at) => at.toISOString().slice(0, 10)))

    expect(days.size).toBeGreaterThanOrEqual(30)
    expect(Math.max(...times.map(Number))).toBeLessThan(now.getTime())
    expect(Math.max(...audit.map(({ at }) => at.getTime()))).toBeLessThanOrEqual(now.getTime())
  })

  test('has calls of links that worked, failed and were tried again', () => {
    const calls = rows.links.map((link) => link.calls as string | null).join('')

    for (const one of [/ token 200 /, / token 400 /, / token - 10000 1 timeout;/, / connection_create 503 \d+ 2;/])
      expect(calls).toMatch(one)
  })

  test('refers to nothing that is not there', () => {
    const missing = (table: keyof typeof rows, column: string, target: keyof typeof rows) => {
      const known = valuesOf(target, 'id')
      return rows[table].map((row) => row[column]).filter((id) => !known.has(id))
    }
    const connections = valuesOf('connections', 'id')
    const ofLinked = rows.links.filter(({ state }) => state === 'linked').map(({ connection_id }) => connection_id)

    expect(missing('links', 'session_id', 'connect_sessions')).toEqual([])
    expect(ofLinked.filter((id) => !connections.has(id))).toEqual([])
    expect(missing('health_checks', 'connection_id', 'connections')).toEqual([])
    expect(missing('campaign_members', 'connection_id', 'connections')).toEqual([])
    expect(missing('campaign_members', 'session_id', 'connect_sessions')).toEqual([])
    expect(missing('webhook_deliveries', 'event', 'outbox')).toEqual([])
  })

  test('leaves nothing for a worker to do in the next hours', () => {
    const due = [...rows.links, ...rows.webhook_deliveries].map(({ due_at }) => due_at as Date | null)

    for (const at of due) if (at) expect(at.getTime() - now.getTime()).toBeGreaterThan(3 * 60 * 60 * 1_000)
    expect([...valuesOf('connections', 'health_due_at')]).toEqual([undefined])
  })

  test('says in every name of a tenant that it is one', () => {
    const tenants = [...rows.links, ...rows.connections, ...rows.outbox].map(({ tenant }) => tenant as string)

    for (const tenant of new Set(tenants)) expect(tenant).toMatch(/^sample-/)
  })
})
