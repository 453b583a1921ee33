import { beforeEach, describe, expect, test } from 'vitest'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { maxOutsideCalls, type OutsideCall } from '../../../src/onboarding/domain/trace/outside-call.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import { addBroken } from '../../support/memory/broken-connections.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const movePromises = ({ ledger: opened, racing }: Contract) =>
  describe('link moves', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const failed = { id: 'evt_1', name: 'link.failed', payload: { link: 'lnk_1' } } as const
    const tryMove = (link: Link, to: Link['state'], changes = {}) =>
      ledger.links.move(link, to, changes, auditEntry(`link.${to}`, { link: link.id }))
    const eventNames = async () => (await ledger.events()).map(({ name }) => name)

    test('returns a link as its last move left it', async () => {
      const account = { id: 'account-1', label: 'user@files.example' }
      const escrowed = await ledger.escrow(await ledger.addLink())
      const changes = { account, grantedScopes: ['files.read'], functionUrl: 'https://functions.example/' }

      const moved = await ledger.move(escrowed, 'function_ready', changes)

      expect(await ledger.links.find(moved.id)).toMatchObject({ state: 'function_ready', ...changes })
    })

    test('rejects a move that the state machine forbids', async () => {
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

    test('a takeover fences the previous worker', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const stopped = await ledger.move(escrowed, 'needs_attention', { resumeFrom: 'escrowed' })
      const taken = await ledger.move(stopped, 'escrowed', { takeOver: true })

      expect(taken.fence).toBe(escrowed.fence + 1)
      expect(await tryMove(escrowed, 'function_ready')).toBeUndefined()
      expect(await ledger.links.postpone(escrowed, 5, 'platform_unavailable')).toBeUndefined()
    })

    test('a link that has moved on cannot be postponed', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const linked = await ledger.finish(escrowed)

      expect(await ledger.links.postpone(escrowed, 5, 'platform_unavailable')).toBeUndefined()
      expect(await ledger.links.find(linked.id)).toEqual(linked)
    })

    test('a rejected move writes no audit entry, event or escrow', async () => {
      const link = await ledger.addLink()
      await ledger.move(link, 'denied')
      const before = await ledger.noted()

      await tryMove(link, 'exchanging', { event: failed, escrow: { sealed: 'sealed', fingerprint: undefined } })

      expect(await ledger.noted()).toEqual(before)
      expect(await ledger.events()).toEqual([])
      expect(await ledger.secrets.escrow(link.id)).toBeUndefined()
    })

    test('writes an event with its move', async () => {
      await ledger.move(await ledger.addLink(), 'failed', { cause: 'code_refused', event: failed })

      expect(await ledger.events()).toEqual([{ id: 'evt_1', tenant: 'acme', name: 'link.failed' }])
    })

    test('writes an audit entry with its move', async () => {
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

    test('stores outgoing calls with the next move or retry', async () => {
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

    test('a rejected move stores no calls', async () => {
      const link = await ledger.addLink()
      await ledger.move(link, 'denied')

      await tryMove(link, 'exchanging', { calls: [call(0)] })

      expect(await ledger.callsOf(link.id)).toEqual([])
    })

    test('the next move clears the cause', async () => {
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

    test('a waiting code can be read until it is used', async () => {
      const link = await ledger.addLink()
      const waiting = await ledger.move(link, 'code_waiting', { waitingCode: { sealed: 'code' }, dueInSeconds: 120 })
      const read = await ledger.secrets.waitingCode(link.id)

      await ledger.move(waiting, 'exchanging', { takeOver: true })

      expect([read, await ledger.secrets.waitingCode(link.id)]).toEqual(['code', undefined])
    })

    test('abandoning a link deletes its waiting code', async () => {
      const link = await ledger.addLink()
      const waiting = await ledger.move(link, 'code_waiting', { waitingCode: { sealed: 'code' } })

      await ledger.move(waiting, 'abandoned', { cause: 'completion_missing', escrow: null })

      expect(await ledger.secrets.waitingCode(link.id)).toBeUndefined()
    })

    test('keeps the escrow until a move wipes it', async () => {
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

    test('a fenced worker cannot store a trial refresh, and neither can a link without an escrow', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const stopped = await ledger.move(escrowed, 'needs_attention', { resumeFrom: 'escrowed' })
      await ledger.move(stopped, 'escrowed', { takeOver: true })

      expect(await ledger.links.keepTrialRefresh(escrowed, 'refreshed')).toBe(false)
      expect(await ledger.links.keepTrialRefresh(await ledger.addLink(), 'refreshed')).toBe(false)
    })

    test('a finished link creates a connection with its names, account and scopes', async () => {
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

    test('a platform name belongs to one connection of a workspace, and a move that reuses it changes nothing', async () => {
      await ledger.addConnection()
      const first = await ledger.finish(await ledger.escrow(await ledger.addLink()), {})
      const second = await ledger.escrow(await ledger.addLink({}, { connectionName: first.connectionName }))

      await expect(ledger.finish(second)).rejects.toThrow()

      expect(await ledger.links.find(second.id)).toMatchObject({ state: 'escrowed' })
      expect(await ledger.secrets.escrow(second.id)).toBeDefined()
    })

    test('a re-link keeps the connection ID and increments the grant version', async () => {
      const first = await ledger.addConnection()

      const { connection } = await ledger.relink(first, { grantedScopes: ['files.read', 'files.write'] })

      expect(connection).toMatchObject({ id: first.id, grantVersion: 1, scopes: ['files.read', 'files.write'] })
      expect(connection.relinkedAt).toBeInstanceOf(Date)
      expect(connection.createdAt).toEqual(first.createdAt)
    })

    test('a re-link repairs a broken connection', async () => {
      const broken = await addBroken(ledger)

      const { connection } = await ledger.relink(broken)

      expect(connection).toMatchObject({ status: 'active', cause: undefined })
    })

    test('a failed link creates no connection and no grant', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      await ledger.move(escrowed, 'failed', { escrow: null, event: failed })

      expect(await ledger.connections.find(escrowed.connectionId)).toBeUndefined()
      expect(await ledger.storedGrants.find(escrowed.connectionId, 'current')).toBeUndefined()
      expect(await eventNames()).toEqual(['link.failed'])
    })
  })
