import { beforeEach, describe, expect, test } from 'vitest'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const linkQueuePromises = ({ ledger: opened, racing }: Contract) =>
  describe('due links', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
      await ledger.addTenant('other')
    })

    const many = { limit: 100, perTenant: 100 }
    const claimed = async (query = many) => (await ledger.links.claimDue(query)).map(({ id }) => id)
    const addDue = (tenant = 'acme') => ledger.addLink({ tenant }, { expiresInSeconds: 10 })
    const waiting = async (delaySeconds = 60): Promise<Link> => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      return (await ledger.links.postpone(escrowed, delaySeconds, 'platform_unavailable')) as Link
    }

    test('a link is not claimed before it is due', async () => {
      const link = await addDue()

      const early = await claimed()
      await ledger.pass(11)

      expect([early, await claimed()]).toEqual([[], [link.id]])
    })

    test('a claimed link is leased, and can be claimed again after the lease', async () => {
      const link = await addDue()
      await ledger.pass(11)
      await claimed()

      await ledger.pass(15)
      const early = await claimed()
      await ledger.pass(20)

      expect([early, await claimed()]).toEqual([[], [link.id]])
    })

    test('each claim raises the fence, so that the previous worker can no longer write', async () => {
      const link = await addDue()
      await ledger.pass(11)
      const [first] = await ledger.links.claimDue(many)
      await ledger.pass(40)
      const [second] = await ledger.links.claimDue(many)

      expect([first?.fence, second?.fence]).toEqual([link.fence + 1, link.fence + 2])
      expect(await ledger.links.move(first as Link, 'abandoned', {}, auditEntry('link.abandoned'))).toBeUndefined()
      expect(await ledger.links.move(second as Link, 'abandoned', {}, auditEntry('link.abandoned'))).toBeDefined()
    })

    test('a move renews the lease', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      await ledger.pass(20)
      await ledger.move(escrowed, 'connection_ready')
      await ledger.pass(20)

      expect(await claimed()).toEqual([])
    })

    test('a renewed lease needs no move', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const asked = (await ledger.links.find(escrowed.id)) as Link
      await ledger.pass(20)
      const kept = await ledger.links.keepLease(asked)
      await ledger.pass(20)

      expect([kept, await claimed()]).toEqual([true, []])
    })

    test('rejects a lease renewal for a lost, waiting or ended link', async () => {
      const lost = await addDue()
      await ledger.pass(11)
      await claimed()
      const waits = await waiting()
      const ended = await ledger.move(await ledger.addLink(), 'denied')
      const seen = await Promise.all([waits, ended].map(({ id }) => ledger.links.find(id)))

      const kept = await Promise.all([lost, ...seen].map((link) => ledger.links.keepLease(link as Link)))

      expect(kept).toEqual([false, false, false])
    })

    test('claims the longest waiting link first', async () => {
      const older = await addDue()
      await ledger.pass(5)
      const newer = await addDue()
      await ledger.pass(60)

      const order = [await claimed({ limit: 1, perTenant: 1 }), await claimed({ limit: 1, perTenant: 1 })]

      expect(order).toEqual([[older.id], [newer.id]])
    })

    test('limits each tenant’s share, however many of its links are due', async () => {
      for (let count = 0; count < 5; count++) await addDue()
      const other = await addDue('other')
      await ledger.pass(11)

      const due = await ledger.links.claimDue({ limit: 100, perTenant: 2 })

      expect(due.map(({ tenant }) => tenant).sort()).toEqual(['acme', 'acme', 'other'])
      expect(due.map(({ id }) => id)).toContain(other.id)
    })

    test('serves every tenant once before it serves any tenant twice', async () => {
      for (let count = 0; count < 3; count++) await addDue()
      await ledger.pass(5)
      await addDue('other')
      await ledger.pass(11)

      const due = await ledger.links.claimDue({ limit: 2, perTenant: 5 })

      expect(due.map(({ tenant }) => tenant).sort()).toEqual(['acme', 'other'])
    })

    racing('each link is claimed by one of many workers', async () => {
      const links = await Promise.all(Array.from({ length: 12 }, () => addDue()))
      await ledger.pass(11)

      const claims = await Promise.all(Array.from({ length: 6 }, () => claimed()))

      expect(claims.flat().toSorted()).toEqual(links.map(({ id }) => id).toSorted())
    })

    test('counts takeovers from lost workers, but not of a link that waited for its user', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const asking = await addDue()
      await ledger.pass(31)

      const taken = await ledger.links.claimDue(many)

      const takeovers = Object.fromEntries(taken.map((link) => [link.id, link.takeovers]))
      expect(takeovers).toEqual({ [escrowed.id]: 1, [asking.id]: 0 })
    })

    test('claims a link whose worker was lost on its own, to isolate it from others', async () => {
      const suspect = await ledger.escrow(await ledger.addLink())
      await ledger.pass(31)
      await claimed()
      await ledger.pass(31)
      const other = await addDue()
      await ledger.pass(11)

      const rounds = [await claimed(), await claimed()]

      expect(rounds).toEqual([[suspect.id], [other.id]])
    })

    test('does not delay other links for a suspect link that is not next in turn', async () => {
      const suspect = await ledger.escrow(await ledger.addLink({ tenant: 'other' }))
      await ledger.pass(31)
      await claimed()
      const first = await addDue()
      await ledger.pass(20)
      await ledger.pass(11)

      const rounds = [await claimed(), await claimed()]

      expect(rounds).toEqual([[first.id], [suspect.id]])
    })

    test('moving or postponing a link resets its takeover count', async () => {
      await ledger.escrow(await ledger.addLink())
      await ledger.pass(31)
      const [taken] = await ledger.links.claimDue(many)
      const postponed = await ledger.links.postpone(taken as Link, 5, 'platform_unavailable')
      await ledger.pass(6)
      const [again] = await ledger.links.claimDue(many)
      const moved = await ledger.move(again as Link, 'connection_ready')

      expect([taken?.takeovers, postponed?.takeovers, again?.takeovers, moved.takeovers]).toEqual([1, 0, 0, 0])
    })

    test('O4: waiting for a platform setting uses no further attempts', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const wait = (link: Link) => ledger.links.postpone(link, 30, 'platform_misconfigured') as Promise<Link>

      const waited = await wait(await wait(await wait(escrowed)))
      const tried = await ledger.links.postpone(waited, 30, 'platform_unavailable')

      expect([waited.attempts, waited.cause, tried?.attempts]).toEqual([1, 'platform_misconfigured', 2])
    })

    test('an ended link is never due again', async () => {
      await ledger.move(await ledger.addLink(), 'denied')
      await ledger.finish(await ledger.escrow(await ledger.addLink()))
      await ledger.pass(100_000)

      expect(await claimed()).toEqual([])
    })

    test('a link that needs attention is not claimed', async () => {
      await ledger.move(await ledger.escrow(await ledger.addLink()), 'needs_attention', { resumeFrom: 'escrowed' })
      await ledger.pass(100_000)

      expect(await claimed()).toEqual([])
    })

    test('a failed step is retried when due, and keeps its attempts and cause', async () => {
      const link = await waiting(60)
      await ledger.pass(50)
      const early = await claimed()
      await ledger.pass(11)

      expect(link).toMatchObject({ state: 'escrowed', attempts: 1, cause: 'platform_unavailable' })
      expect(link.nextAttemptAt?.getTime()).toBe(link.updatedAt.getTime() + 60_000)
      expect([early, await claimed()]).toEqual([[], [link.id]])
    })

    test('a claimed link has no next attempt', async () => {
      await waiting(60)
      await ledger.pass(61)

      const [link] = await ledger.links.claimDue(many)

      expect(link).toMatchObject({ nextAttemptAt: undefined, attempts: 1 })
    })

    test('a new step resets the attempts', async () => {
      await waiting(60)
      await ledger.pass(61)
      const [link] = await ledger.links.claimDue(many)

      expect((await ledger.move(link as Link, 'connection_ready')).attempts).toBe(0)
    })

    test('a move can schedule the next step', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const moved = await ledger.move(escrowed, 'connection_ready', { dueInSeconds: 300 })

      expect(moved.nextAttemptAt?.getTime()).toBe(moved.updatedAt.getTime() + 300_000)
    })

    test('a code that waits for its tenant has a deadline, but no next attempt', async () => {
      const link = await ledger.addLink()
      const moved = await ledger.move(link, 'code_waiting', { waitingCode: { sealed: 'code' }, dueInSeconds: 120 })
      await ledger.pass(121)

      expect(moved.nextAttemptAt).toBeUndefined()
      expect(await claimed()).toEqual([link.id])
    })

    test('a waiting link can be claimed immediately without counting as an attempt', async () => {
      const link = await waiting()

      const taken = await ledger.links.claimWaiting(link, auditEntry('link.resumed', { link: link.id }))

      expect(taken).toMatchObject({ fence: link.fence + 1, attempts: 0, nextAttemptAt: undefined })
      expect((await ledger.noted()).at(-1)).toMatchObject({ action: 'link.resumed' })
    })

    test('a leased link cannot be taken over, and the attempt is not audited', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())

      expect(await ledger.links.claimWaiting(escrowed, auditEntry('link.resumed'))).toBeUndefined()
      expect((await ledger.noted()).map(({ action }) => action)).not.toContain('link.resumed')
    })

    test('a waiting link can be claimed once', async () => {
      const link = await waiting()

      const taken = [
        await ledger.links.claimWaiting(link, auditEntry('link.resumed')),
        await ledger.links.claimWaiting(link, auditEntry('link.resumed')),
      ]

      expect(taken.map((each) => each !== undefined)).toEqual([true, false])
    })
  })
