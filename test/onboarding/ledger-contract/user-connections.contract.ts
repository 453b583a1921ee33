import { beforeEach, describe, expect, test } from 'vitest'
import { worker } from '../../../src/onboarding/domain/audit/audit.ts'
import { aboutConnection } from '../../../src/onboarding/domain/audit/audit-entry.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const userConnectionPromises = ({ ledger: opened, racing }: Contract) =>
  describe('connections of one end user', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
      await ledger.addTenant('other')
    })

    const user = { tenant: 'acme', integration: 'files', endUserId: 'user-1' }
    const unlinked = {
      ...user,
      id: 'con_1',
      workspace: 'acme',
      name: 'files-1',
      functionName: 'files-1',
      functionUrl: 'https://platform.example/acme/functions/files-1',
      config: { subdomain: 'one' },
    }
    const another = { endUser: { id: 'user-2' } }
    const escrowed = async (session = {}): Promise<Link> => ledger.escrow(await ledger.addLink(session))
    const locks = (...links: Link[]) => Promise.all(links.map((link) => ledger.links.lockUser(link)))

    test('counts connections in use, and lists those of an account newest first', async () => {
      const one = await ledger.addConnection()
      const two = await ledger.addConnection()
      await ledger.addConnection({}, { account: { id: 'account-2', label: 'second' } })

      const { count, ofAccount } = await ledger.connections.inUse(user, 'account-1')

      expect(count).toBe(3)
      // IDs of the same millisecond have no order.
      expect(ofAccount.map(({ id }) => id)).toEqual([one.id, two.id].sort().reverse())
    })

    test('ignores those of other users, tenants and integrations', async () => {
      await ledger.addConnection(another)
      await ledger.addConnection({ tenant: 'other' })
      await ledger.addConnection({ integration: 'mail' })

      expect(await ledger.connections.inUse(user, 'account-1')).toEqual({ count: 0, ofAccount: [] })
    })

    test('without an account, lists none', async () => {
      await ledger.addConnection()

      expect(await ledger.connections.inUse(user, undefined)).toEqual({ count: 1, ofAccount: [] })
    })

    test('a connection without an account is in use, is checked never, and is created once', async () => {
      const audit = { action: 'connection.created' as const, actor: worker, ...aboutConnection(unlinked) }
      const create = (name = 'files-1') =>
        ledger.connections.create({ ...unlinked, name }, { ...audit, before: {}, after: { status: 'not_linked' } })

      const created = await create()
      const again = await create('another')

      expect(created).toMatchObject({ ...unlinked, status: 'not_linked', account: undefined, grantVersion: 0 })
      expect(again).toEqual(created)
      expect((await ledger.connections.inUse(user, undefined)).count).toBe(1)
      expect(await ledger.healthChecks.claimDue(10)).toEqual([])
    })

    test('one link per user and integration holds the lock, and can take it again', async () => {
      const [first, second] = [await escrowed(), await escrowed()]

      expect(await ledger.links.lockUser(first)).toBe(true)
      expect(await ledger.links.lockUser(second)).toBe(false)
      expect(await ledger.links.lockUser(first)).toBe(true)
    })

    test('users, tenants and integrations do not block each other', async () => {
      const links = [
        await escrowed(),
        await escrowed(another),
        await escrowed({ tenant: 'other' }),
        await escrowed({ integration: 'mail' }),
      ]

      expect(await locks(...links)).toEqual([true, true, true, true])
    })

    test('a move keeps the lock', async () => {
      const [first, second] = [await escrowed(), await escrowed()]
      await ledger.links.lockUser(first)
      await ledger.move(first, 'function_ready')

      expect(await ledger.links.lockUser(second)).toBe(false)
    })

    const sealed = {
      sealed: 'sealed',
      fingerprint: undefined,
      clientId: 'c',
      issuer: undefined,
      tokenEndpoint: undefined,
    }
    const storeAndLock = async (link: Link) => ledger.move(link, 'escrowed', { escrow: sealed, locksUser: true })
    const exchanging = async () => ledger.move(await ledger.addLink(), 'exchanging', { takeOver: true })

    test('the move that stores the grant takes the lock if it is free', async () => {
      const first = await storeAndLock(await exchanging())
      const second = await storeAndLock(await exchanging())

      expect([first, second].map((link) => ledger.links.hasLockedUser(link))).toEqual([true, false])
      expect(await locks(first, second)).toEqual([true, false])
    })

    test('the move that takes the lock says whether the user has no connection', async () => {
      const first = await storeAndLock(await exchanging())
      const meanwhile = await storeAndLock(await exchanging())
      await ledger.finish(first)
      const second = await storeAndLock(await exchanging())
      const ofOther = await ledger.addLink(another)
      const other = await storeAndLock(await ledger.move(ofOther, 'exchanging', { takeOver: true }))

      expect([first, meanwhile, second, other].map((link) => ledger.links.isUsersFirst(link))).toEqual([
        true,
        false,
        false,
        true,
      ])
    })

    test('a move that does not take the lock never says so', async () => {
      const first = await storeAndLock(await exchanging())

      expect(ledger.links.isUsersFirst(await ledger.move(first, 'function_ready'))).toBe(false)
    })

    racing('of concurrent links that end at once, one is the first of its user', async () => {
      const links = await Promise.all(Array.from({ length: 24 }, exchanging))

      const isFirst = await Promise.all(
        links.map(async (link) => {
          const stored = await storeAndLock(link)
          const found = ledger.links.isUsersFirst(stored)
          if (ledger.links.hasLockedUser(stored)) await ledger.finish(stored)
          return found
        }),
      )

      expect(isFirst.filter(Boolean)).toHaveLength(1)
    })

    test('a move reports whether the lock was kept', async () => {
      const first = await storeAndLock(await exchanging())
      const ready = await ledger.move(first, 'function_ready')
      const parked = await ledger.move(ready, 'needs_attention', { resumeFrom: 'function_ready' })

      expect([ready, parked].map((link) => ledger.links.hasLockedUser(link))).toEqual([true, false])
    })

    racing('concurrent moves store every grant, and one of them takes the lock', async () => {
      const links = await Promise.all(Array.from({ length: 8 }, exchanging))

      const stored = await Promise.all(links.map(storeAndLock))

      expect(stored.map(({ state }) => state)).toEqual(Array(8).fill('escrowed'))
      expect(stored.filter((link) => ledger.links.hasLockedUser(link))).toHaveLength(1)
      expect(await Promise.all(stored.map(({ id }) => ledger.links.escrow(id)))).not.toContain(undefined)
    })

    test.each(['linked', 'failed', 'needs_attention'] as const)('a link that is %s has no lock', async (to) => {
      const [first, second] = [await escrowed(), await escrowed()]
      await ledger.links.lockUser(first)
      const moved = to === 'linked' ? await ledger.finish(first) : await ledger.move(first, to)

      expect(await locks(second, moved)).toEqual([true, false])
    })

    test('a resumed link may find the lock taken', async () => {
      const [first, second] = [await escrowed(), await escrowed()]
      await ledger.links.lockUser(first)
      const parked = await ledger.move(first, 'needs_attention', { resumeFrom: 'escrowed' })
      await ledger.links.lockUser(second)

      const resumed = await ledger.move(parked, 'escrowed')

      expect(await ledger.links.lockUser(resumed)).toBe(false)
    })

    test('a worker that lost its link cannot lock', async () => {
      const link = await escrowed()
      await ledger.pass(60)
      const [taken] = await ledger.links.claimDue({ limit: 1, perTenant: 1 })

      expect(await locks(link, taken as Link)).toEqual([false, true])
    })

    racing('one of many concurrent links gets the lock', async () => {
      const links = await Promise.all(Array.from({ length: 8 }, () => escrowed()))

      expect((await locks(...links)).filter(Boolean)).toHaveLength(1)
    })

    test('a link can become the re-link of an existing connection and repair it', async () => {
      const connection = await ledger.addConnection()
      const link = await escrowed()
      const { id: connectionId, name: connectionName, functionName } = connection
      const relinkOf = { connectionId, connectionName, functionName }

      const testing = await ledger.move(link, 'testing', { relinkOf })
      const tested = await ledger.move(await ledger.move(testing, 'tested'), 'connection_ready')
      const linked = await ledger.finish(tested, {}, { previousSeconds: 600 })

      expect(testing).toMatchObject({ kind: 'relink', ...relinkOf })
      expect(await ledger.links.find(link.id)).toMatchObject({ kind: 'relink', ...relinkOf })
      expect(linked.connectionId).toBe(connectionId)
      expect(await ledger.found(connectionId)).toMatchObject({ grantVersion: 1, functionName })
      expect((await ledger.connections.inUse(user, undefined)).count).toBe(1)
    })

    test('a link keeps the ifConnected mode of its session', async () => {
      const session = await ledger.addSession({ ifConnected: 'refuse' })
      const link = await ledger.openLink(session)

      expect((await ledger.sessions.find(session.id))?.ifConnected).toBe('refuse')
      expect((await ledger.links.find(link.id))?.ifConnected).toBe('refuse')
    })
  })
