import { beforeEach, describe, expect, test } from 'vitest'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const userConnectionPromises = ({ ledger: opened, racing }: Contract) =>
  describe('connections of one user', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
      await ledger.addTenant('other')
    })

    const user = { tenant: 'acme', integration: 'files', endUserId: 'user-1' }
    const another = { endUser: { id: 'user-2' } }
    const escrowed = async (session = {}): Promise<Link> => ledger.escrow(await ledger.addLink(session))
    const locks = (...links: Link[]) => Promise.all(links.map((link) => ledger.links.lockUser(link)))

    test('those in use are counted, and those of an account are named, the newest first', async () => {
      const one = await ledger.addConnection()
      const two = await ledger.addConnection()
      await ledger.addConnection({}, { account: { id: 'account-2', label: 'second' } })

      const { count, ofAccount } = await ledger.connections.inUse(user, 'account-1')

      expect(count).toBe(3)
      // IDs of the same millisecond have no order.
      expect(ofAccount.map(({ id }) => id)).toEqual([one.id, two.id].sort().reverse())
    })

    test('those of other users, tenants and integrations do not count', async () => {
      await ledger.addConnection(another)
      await ledger.addConnection({ tenant: 'other' })
      await ledger.addConnection({ integration: 'mail' })

      expect(await ledger.connections.inUse(user, 'account-1')).toEqual({ count: 0, ofAccount: [] })
    })

    test('without an account none is named', async () => {
      await ledger.addConnection()

      expect(await ledger.connections.inUse(user, undefined)).toEqual({ count: 1, ofAccount: [] })
    })

    test('one link of a user and integration has the lock, and may ask for it again', async () => {
      const [first, second] = [await escrowed(), await escrowed()]

      expect(await ledger.links.lockUser(first)).toBe(true)
      expect(await ledger.links.lockUser(second)).toBe(false)
      expect(await ledger.links.lockUser(first)).toBe(true)
    })

    test('users, tenants and integrations do not wait for each other', async () => {
      const links = [
        await escrowed(),
        await escrowed(another),
        await escrowed({ tenant: 'other' }),
        await escrowed({ integration: 'mail' }),
      ]

      expect(await locks(...links)).toEqual([true, true, true, true])
    })

    test('the lock stays while the link is carried on', async () => {
      const [first, second] = [await escrowed(), await escrowed()]
      await ledger.links.lockUser(first)
      await ledger.move(first, 'function_ready')

      expect(await ledger.links.lockUser(second)).toBe(false)
    })

    test.each(['linked', 'failed', 'needs_attention'] as const)('a link that is %s has no lock', async (to) => {
      const [first, second] = [await escrowed(), await escrowed()]
      await ledger.links.lockUser(first)
      const moved = to === 'linked' ? await ledger.finish(first) : await ledger.move(first, to)

      expect(await locks(second, moved)).toEqual([true, false])
    })

    test('one that is resumed may be too late for the lock', async () => {
      const [first, second] = [await escrowed(), await escrowed()]
      await ledger.links.lockUser(first)
      const parked = await ledger.move(first, 'needs_attention', { resumeFrom: 'escrowed' })
      await ledger.links.lockUser(second)

      const resumed = await ledger.move(parked, 'escrowed')

      expect(await ledger.links.lockUser(resumed)).toBe(false)
    })

    test('a worker that lost its link locks nothing', async () => {
      const link = await escrowed()
      await ledger.pass(60)
      const [taken] = await ledger.links.claimDue({ limit: 1, perTenant: 1 })

      expect(await locks(link, taken as Link)).toEqual([false, true])
    })

    racing('one of many concurrent links gets the lock', async () => {
      const links = await Promise.all(Array.from({ length: 8 }, () => escrowed()))

      expect((await locks(...links)).filter(Boolean)).toHaveLength(1)
    })

    test('a link becomes the re-link of a connection that is there, and mends it', async () => {
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
