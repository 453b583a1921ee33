import { beforeEach, describe, expect, test } from 'vitest'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { maxOutsideCalls, type OutsideCall } from '../../../src/onboarding/domain/trace/outside-call.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import { addBroken } from '../../support/memory/broken-connections.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const movePromises = ({ ledger: opened, racing }: Contract) =>
  describe('moves of a link', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const failed = { id: 'evt_1', name: 'link.failed', payload: { link: 'lnk_1' } } as const
    const tryMove = (link: Link, to: Link['state'], changes = {}) =>
      ledger.links.move(link, to, changes, auditEntry(`link.${to}`, { link: link.id }))
    const eventNames = async () => (await ledger.events()).map(({ name }) => name)

    test('a link is found as its last move handed it out', async () => {
      const account = { id: 'account-1', label: 'user@files.example' }
      const escrowed = await ledger.escrow(await ledger.addLink())
      const changes = { account, grantedScopes: ['files.read'], functionUrl: 'https://functions.example/' }

      const moved = await ledger.move(escrowed, 'function_ready', changes)

      expect(await ledger.links.find(moved.id)).toMatchObject({ state: 'function_ready', ...changes })
    })

    test('a move that no rule allows is refused loudly', async () => {
      await expect(tryMove(await ledger.addLink(), 'linked')).rejects.toThrow('never goes from authorizing to linked')
    })

    test('a stale worker cannot move a link', async () => {
      const link = await ledger.addLink()
      await ledger.move(link, 'denied')

      expect(await tryMove(link, 'abandoned')).toBeUndefined()
      expect((await ledger.links.find(link.id))?.state).toBe('denied')
    })

    racing('one of many concurrent moves succeeds', async () => {
      const link = await ledger.addLink()

      const moved = await Promise.all(Array.from({ length: 8 }, () => tryMove(link, 'exchanging', { takeOver: true })))

      expect(moved.filter(Boolean)).toHaveLength(1)
    })

    test('a take-over fences the previous worker', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const stopped = await ledger.move(escrowed, 'needs_attention', { resumeFrom: 'escrowed' })
      const taken = await ledger.move(stopped, 'escrowed', { takeOver: true })

      expect(taken.fence).toBe(escrowed.fence + 1)
      expect(await tryMove(escrowed, 'function_ready')).toBeUndefined()
      expect(await ledger.links.postpone(escrowed, 5, 'platform_unavailable')).toBeUndefined()
    })

    test('a refused move leaves nothing anywhere: no entry, no event, no escrow', async () => {
      const link = await ledger.addLink()
      await ledger.move(link, 'denied')
      const before = await ledger.noted()

      await tryMove(link, 'exchanging', { event: failed, escrow: { sealed: 'sealed', fingerprint: undefined } })

      expect(await ledger.noted()).toEqual(before)
      expect(await ledger.events()).toEqual([])
      expect(await ledger.secrets.escrow(link.id)).toBeUndefined()
    })

    test('an event is written with the move that it tells of', async () => {
      await ledger.move(await ledger.addLink(), 'failed', { cause: 'code_refused', event: failed })

      expect(await ledger.events()).toEqual([{ id: 'evt_1', tenant: 'acme', name: 'link.failed' }])
    })

    test('an entry is written with the move that it tells of', async () => {
      const link = await ledger.addLink()

      await tryMove(link, 'denied')

      expect((await ledger.noted()).at(-1)).toMatchObject({ action: 'link.denied', link: link.id })
    })

    const call = (ms: number, more: Partial<OutsideCall> = {}): OutsideCall => ({
      call: 'token',
      at: new Date(Date.UTC(2026, 0, 1) + ms),
      ...(more.error === undefined && { status: 200 }),
      durationMs: 12,
      attempt: 1,
      ...more,
    })

    test('calls outside are kept with the move or the new try that tells of them, the newest of all', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const first = [call(0), call(1, { call: 'userinfo', error: 'ECONNREFUSED' })]
      const moved = await ledger.move(escrowed, 'connection_ready', { calls: first })
      const untold = await ledger.move(moved, 'function_ready')
      const later = [call(2, { call: 'verification', attempt: 2 })]

      await ledger.links.postpone(untold, 5, 'platform_unavailable', later)

      expect(await ledger.callsOf(escrowed.id)).toEqual([...first, ...later])
    })

    test('keeps only the newest calls', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const calls = Array.from({ length: maxOutsideCalls + 5 }, (_, at) => call(at))
      const moved = await ledger.move(escrowed, 'connection_ready', { calls: calls.slice(0, -2) })

      await ledger.move(moved, 'function_ready', { calls: calls.slice(-2) })

      expect(await ledger.callsOf(escrowed.id)).toEqual(calls.slice(5))
    })

    test('a refused move keeps no call', async () => {
      const link = await ledger.addLink()
      await ledger.move(link, 'denied')

      await tryMove(link, 'exchanging', { calls: [call(0)] })

      expect(await ledger.callsOf(link.id)).toEqual([])
    })

    test('a cause says why it is there now, and goes with the next move', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const stopped = await ledger.move(escrowed, 'needs_attention', { cause: 'name_taken', resumeFrom: 'escrowed' })
      const resumed = await ledger.move(stopped, 'escrowed', { takeOver: true })

      expect([stopped.cause, stopped.resumeFrom]).toEqual(['name_taken', 'escrowed'])
      expect(await ledger.links.find(resumed.id)).toMatchObject({ cause: undefined, resumeFrom: undefined })
    })

    test('a move keeps all other values', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const changes = { account: { id: 'account-1', label: 'one' }, missingScopes: ['mail'], forcedConsent: true }
      const moved = await ledger.move(escrowed, 'connection_ready', changes)

      const on = await ledger.move(moved, 'function_ready', { functionUrl: 'https://functions.example/' })

      expect(await ledger.links.find(on.id)).toMatchObject(changes)
    })

    test('a waiting code can be read while the link waits, and is gone when it is spent', async () => {
      const link = await ledger.addLink()
      const waiting = await ledger.move(link, 'code_waiting', { waitingCode: { sealed: 'code' }, dueInSeconds: 120 })
      const read = await ledger.secrets.waitingCode(link.id)

      await ledger.move(waiting, 'exchanging', { takeOver: true })

      expect([read, await ledger.secrets.waitingCode(link.id)]).toEqual(['code', undefined])
    })

    test('a waiting code goes when the link is given up', async () => {
      const link = await ledger.addLink()
      const waiting = await ledger.move(link, 'code_waiting', { waitingCode: { sealed: 'code' } })

      await ledger.move(waiting, 'abandoned', { cause: 'completion_missing', escrow: null })

      expect(await ledger.secrets.waitingCode(link.id)).toBeUndefined()
    })

    test('the escrow stays until a move wipes it', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink(), 'grant')
      const moved = await ledger.move(escrowed, 'connection_ready')
      const kept = await ledger.secrets.escrow(moved.id)

      await ledger.move(moved, 'failed', { escrow: null })

      expect([kept?.sealed, await ledger.secrets.escrow(moved.id)]).toEqual(['sealed grant', undefined])
    })

    test('stores a trial refresh beside the grant and wipes both', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const kept = await ledger.links.keepTrialRefresh(escrowed, 'refreshed')
      const read = await ledger.secrets.escrow(escrowed.id)

      await ledger.move(escrowed, 'failed', { escrow: null })

      expect([kept, read?.trialRefresh, await ledger.secrets.escrow(escrowed.id)]).toEqual([
        true,
        'refreshed',
        undefined,
      ])
    })

    test('a trial refresh is not stored by a fenced worker or without an escrow', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const stopped = await ledger.move(escrowed, 'needs_attention', { resumeFrom: 'escrowed' })
      await ledger.move(stopped, 'escrowed', { takeOver: true })

      expect(await ledger.links.keepTrialRefresh(escrowed, 'refreshed')).toBe(false)
      expect(await ledger.links.keepTrialRefresh(await ledger.addLink(), 'refreshed')).toBe(false)
    })

    test('a link that is done leaves a connection with its names, its account and its scopes', async () => {
      const link = await ledger.finish(await ledger.escrow(await ledger.addLink()))

      expect(await ledger.connections.find(link.connectionId)).toMatchObject({
        id: link.connectionId,
        tenant: 'acme',
        name: link.connectionName,
        functionName: link.functionName,
        functionUrl: link.functionUrl,
        account: { id: 'account-1', label: 'user@files.example' },
        scopes: ['files.read'],
        status: 'active',
        grantVersion: 0,
        endUserId: 'user-1',
        relinkedAt: undefined,
      })
    })

    test('a name on the platform belongs to one connection of a workspace, and the move that takes it again changes nothing', async () => {
      await ledger.addConnection()
      const first = await ledger.finish(await ledger.escrow(await ledger.addLink()), {})
      const second = await ledger.escrow(await ledger.addLink({}, { connectionName: first.connectionName }))

      await expect(ledger.finish(second)).rejects.toThrow()

      expect(await ledger.links.find(second.id)).toMatchObject({ state: 'escrowed' })
      expect(await ledger.secrets.escrow(second.id)).toBeDefined()
    })

    test('a re-link changes the connection under the same id, and counts its grants', async () => {
      const first = await ledger.addConnection()

      const { connection } = await ledger.relink(first, { grantedScopes: ['files.read', 'files.write'] })

      expect(connection).toMatchObject({ id: first.id, grantVersion: 1, scopes: ['files.read', 'files.write'] })
      expect(connection.relinkedAt).toBeInstanceOf(Date)
      expect(connection.createdAt).toEqual(first.createdAt)
    })

    test('a re-link mends a connection that was broken', async () => {
      const broken = await addBroken(ledger)

      const { connection } = await ledger.relink(broken)

      expect(connection).toMatchObject({ status: 'active', cause: undefined })
    })

    test('a failed link leaves no connection and no grant', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      await ledger.move(escrowed, 'failed', { escrow: null, event: failed })

      expect(await ledger.connections.find(escrowed.connectionId)).toBeUndefined()
      expect(await ledger.storedGrants.find(escrowed.connectionId, 'current')).toBeUndefined()
      expect(await eventNames()).toEqual(['link.failed'])
    })
  })
