import { beforeEach, describe, expect, test } from 'vitest'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import { maxHealthChecks } from '../../../src/onboarding/domain/health/health.ts'
import type { HealthCheckDraft } from '../../../src/onboarding/domain/ports/connections.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const healthPromises = ({ ledger: opened, racing }: Contract) =>
  describe('health checks', () => {
    let ledger: Ledger
    let connection: Connection
    let events = 0
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
      connection = await ledger.addConnection({}, {}, { checkInSeconds: 600 })
    })

    const due = async (limit = 10) => (await ledger.healthChecks.claimDue(limit)).map(({ id }) => id)
    const record = (outcome: HealthCheckDraft['finding']['outcome'], more: Partial<HealthCheckDraft> = {}) =>
      ledger.healthChecks.record({
        connection,
        finding: { outcome, cause: outcome === 'broken' ? 'grant_revoked' : undefined },
        durationMs: 12,
        nextInSeconds: 600,
        actorKind: 'worker',
        news: auditEntry(outcome === 'broken' ? 'connection.needs_relink' : 'connection.recovered'),
        asked: undefined,
        event: { id: `evt_${++events}`, name: 'connection.needs_relink', payload: {} },
        ...more,
      })
    const actions = async () => (await ledger.noted()).map(({ action }) => action)

    test('a due connection is claimed once per lease', async () => {
      const early = await due()
      await ledger.pass(601)
      const turn = await due()
      await ledger.pass(40)
      const leased = await due()
      await ledger.pass(30)

      expect([early, turn, leased, await due()]).toEqual([[], [connection.id], [], [connection.id]])
    })

    test('checks the longest waiting connection first', async () => {
      await ledger.pass(60)
      await ledger.addConnection({}, {}, { checkInSeconds: 600 })
      await ledger.pass(700)

      expect(await due(1)).toEqual([connection.id])
    })

    test('S2: claims a connection whose worker was lost on its own, and counts claims until a check is recorded', async () => {
      await ledger.pass(601)
      const [first] = await ledger.healthChecks.claimDue(10)
      await ledger.addConnection({}, {}, { checkInSeconds: 65 })
      await ledger.pass(66)
      const [second, ...company] = await ledger.healthChecks.claimDue(10)
      await record('unclear', { nextInSeconds: 0 })
      await ledger.pass(1)
      const claimed = await ledger.healthChecks.claimDue(10)

      expect([first?.claims, second?.claims, company]).toEqual([1, 2, []])
      expect(second?.id).toBe(connection.id)
      expect(claimed.find(({ id }) => id === connection.id)?.claims).toBe(1)
    })

    racing('each connection is checked by one of many workers', async () => {
      await ledger.pass(601)

      expect((await Promise.all(Array.from({ length: 6 }, () => due()))).flat()).toEqual([connection.id])
    })

    test('stores a check and schedules the next one', async () => {
      const check = await record('healthy', { nextInSeconds: 60 })
      await ledger.pass(61)

      expect(check).toMatchObject({
        connectionId: connection.id,
        outcome: 'healthy',
        durationMs: 12,
        actorKind: 'worker',
      })
      expect(await ledger.healthChecks.history(connection.id)).toEqual([{ ...check, at: expect.any(Date) }])
      expect(await due()).toEqual([connection.id])
    })

    test('a broken grant updates the connection, the audit log and the tenant’s events', async () => {
      await record('broken')

      expect(await ledger.found(connection.id)).toMatchObject({ status: 'needs_relink', cause: 'grant_revoked' })
      expect(await actions()).toContain('connection.needs_relink')
      expect(await ledger.events()).toMatchObject([{ tenant: 'acme', name: 'connection.needs_relink' }])
    })

    test('emits no second event if the connection is still broken', async () => {
      await record('broken')
      const before = await actions()

      await record('broken')

      expect(await actions()).toEqual(before)
      expect(await ledger.events()).toHaveLength(1)
    })

    test('updates the cause of a broken connection without a second event', async () => {
      await record('broken')
      await record('broken', { finding: { outcome: 'broken', cause: 'client_rejected' } })

      expect((await ledger.found(connection.id)).cause).toBe('client_rejected')
      expect(await ledger.events()).toHaveLength(1)
    })

    test('statusSince changes only when the status changes', async () => {
      const ageSeconds = async () => {
        const { checkedAt, statusSince } = await ledger.found(connection.id)
        return Math.round((Number(checkedAt) - statusSince.getTime()) / 1_000)
      }
      await ledger.pass(500)
      await record('broken')
      const first = await ageSeconds()
      await ledger.pass(300)
      await record('broken')
      const again = await ageSeconds()
      await record('healthy')

      expect([first, again, await ageSeconds()]).toEqual([0, 300, 0])
    })

    test('a recovered connection is active and audited, without an event', async () => {
      await record('broken')
      await record('healthy')

      expect(await ledger.found(connection.id)).toMatchObject({ status: 'active', cause: undefined })
      expect(await actions()).toContain('connection.recovered')
      expect(await ledger.events()).toHaveLength(1)
    })

    test('an unclear check does not change the status', async () => {
      await record('broken')
      await record('unclear', { finding: { outcome: 'unclear', cause: 'platform_unavailable' } })

      expect(await ledger.found(connection.id)).toMatchObject({ status: 'needs_relink', cause: 'grant_revoked' })
    })

    test('counts consecutive unclear checks until a clear result', async () => {
      await record('unclear', { finding: { outcome: 'unclear', cause: 'refresh_refused', isUnexplained: true } })
      await record('untested')
      await record('unclear')
      const unclear = await ledger.found(connection.id)
      await record('healthy')

      expect(unclear).toMatchObject({ unclearSince: expect.any(Date), unclearChecks: 2, unexplainedRefusals: 1 })
      expect(await ledger.found(connection.id)).toMatchObject({
        unclearSince: undefined,
        unclearChecks: 0,
        unexplainedRefusals: 0,
      })
    })

    test('unknown health is recorded and announced once', async () => {
      const unknown = () => ({
        news: auditEntry('connection.health_unknown'),
        event: { id: `evt_${++events}`, name: 'connection.health_unknown' as const, payload: {} },
      })
      await record('unclear', { unknown: unknown() })
      await record('unclear', { unknown: unknown() })

      const { unclearSince, healthUnknownSince } = await ledger.found(connection.id)
      expect(healthUnknownSince).toEqual(unclearSince)
      expect(await ledger.events()).toMatchObject([{ tenant: 'acme', name: 'connection.health_unknown' }])
      expect((await actions()).filter((action) => action === 'connection.health_unknown')).toHaveLength(1)
      await ledger.relink(connection)
      expect(await ledger.found(connection.id)).toMatchObject({ healthUnknownSince: undefined, unclearChecks: 0 })
    })

    test('records and announces a grant’s upcoming expiry once per grant', async () => {
      const endsAt = new Date('2027-01-01T00:00:00Z')
      const warn = (of: Connection) =>
        ledger.healthChecks.warnOfEnd({
          connection: of,
          endsAt,
          audit: auditEntry('connection.grant_ends_soon'),
          event: { id: `evt_${++events}`, name: 'connection.grant_ends_soon', payload: {} },
        })
      const told = [await warn(connection), await warn(connection)]
      const warned = await ledger.found(connection.id)
      await ledger.relink(connection)

      expect(told).toEqual([true, false])
      expect(warned.grantEndsAt).toEqual(endsAt)
      expect(await ledger.events()).toMatchObject([{ tenant: 'acme', name: 'connection.grant_ends_soon' }])
      expect((await actions()).filter((action) => action === 'connection.grant_ends_soon')).toHaveLength(1)
      expect((await ledger.found(connection.id)).grantEndsAt).toBeUndefined()
      expect(await warn(connection)).toBe(false)
    })

    test('ignores a result for a replaced grant', async () => {
      await ledger.relink(connection)

      await record('broken')

      expect(await ledger.found(connection.id)).toMatchObject({ status: 'active', cause: undefined })
      expect(await ledger.events()).toEqual([])
    })

    test('always audits a requested check with the current state', async () => {
      await record('broken', { asked: auditEntry('connection.checked', { after: { outcome: 'broken' } }) })

      const asked = (await ledger.noted()).find(({ action }) => action === 'connection.checked')
      expect(asked?.after).toEqual({ outcome: 'broken', status: 'needs_relink', cause: 'grant_revoked' })
    })

    test('keeps the newest checks, newest first', async () => {
      for (let count = 0; count < maxHealthChecks + 2; count++) await record('healthy', { durationMs: count })

      const history = await ledger.healthChecks.history(connection.id)

      expect(history).toHaveLength(maxHealthChecks)
      expect(history[0]?.durationMs).toBe(maxHealthChecks + 1)
    })
  })
