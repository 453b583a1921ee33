import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import { leaseClock } from '../../../../src/onboarding/provisioning/adapters/postgres/lease.ts'
import { audited, type LedgerWorld, openLedger } from '../../../support/worlds/ledger.ts'

let ledger: LedgerWorld

beforeAll(async () => {
  ledger = await openLedger()
  await ledger.addTenant('busy')
  await ledger.addTenant('quiet')
})
beforeEach(() => ledger.pool.query('update links set due_at = null'))
afterAll(() => ledger.close())

async function dueLinks(tenant: string, count: number, secondsAgo = 0): Promise<Link[]> {
  const made: Link[] = []
  for (let place = 0; place < count; place++) {
    const link = await ledger.addLink(tenant)
    await ledger.letBeDue(link, secondsAgo)
    made.push(link)
  }
  return made
}

const tenantsOf = (links: Link[]) => links.map(({ tenant }) => tenant)

test('a tenant with many links due does not hold up one whose link came due last', async () => {
  await dueLinks('busy', 30, 60)
  await dueLinks('quiet', 1)

  const claimed = await ledger.links.claimDue({ limit: 10, perTenant: 5 })

  expect(tenantsOf(claimed).filter((tenant) => tenant === 'busy')).toHaveLength(5)
  expect(tenantsOf(claimed)).toContain('quiet')
})

test('each tenant has a turn before any has a second one, however long the others have waited', async () => {
  await dueLinks('busy', 4, 60)
  await dueLinks('quiet', 1)

  const claimed = await ledger.links.claimDue({ limit: 2, perTenant: 5 })

  expect(tenantsOf(claimed).sort()).toEqual(['busy', 'quiet'])
})

test('the links that waited longest are claimed first', async () => {
  const [newer] = await dueLinks('busy', 1, 10)
  const [older] = await dueLinks('busy', 1, 20)

  const first = await ledger.links.claimDue({ limit: 1, perTenant: 5 })
  const second = await ledger.links.claimDue({ limit: 1, perTenant: 5 })

  expect([...first, ...second].map(({ id }) => id)).toEqual([older?.id, newer?.id])
})

test('a link whose time has not come is left alone', async () => {
  await ledger.addLink('busy')

  expect(await ledger.links.claimDue({ limit: 10, perTenant: 10 })).toEqual([])
})

test('however many workers claim at once, each link is claimed by one of them', async () => {
  const due = await dueLinks('busy', 20, 5)

  const claims = await Promise.all(Array.from({ length: 8 }, () => ledger.links.claimDue({ limit: 20, perTenant: 20 })))

  const ids = claims.flat().map(({ id }) => id)
  expect(ids.toSorted()).toEqual(due.map(({ id }) => id).toSorted())
})

test('a claimed link is not claimed again before its lease has passed, and after it is', async () => {
  const [link] = await dueLinks('busy', 1)
  const [claimed] = await ledger.links.claimDue({ limit: 1, perTenant: 1 })

  const early = await ledger.links.claimDue({ limit: 1, perTenant: 1 })
  await ledger.letBeDue(link!)
  const late = await ledger.links.claimDue({ limit: 1, perTenant: 1 })

  expect(claimed?.id).toBe(link?.id)
  expect(early).toEqual([])
  expect(late.map(({ id }) => id)).toEqual([link?.id])
})

test('a worker that lost its link to another can neither move nor postpone it', async () => {
  const [link] = await dueLinks('busy', 1)
  const [slow] = await ledger.links.claimDue({ limit: 1, perTenant: 1 })
  await ledger.letBeDue(link!)
  const [quick] = await ledger.links.claimDue({ limit: 1, perTenant: 1 })

  const moved = await ledger.links.move(slow!, 'failed', { cause: 'session_expired' }, audited('link.failed'))
  const postponed = await ledger.links.postpone(slow!, 5, 'platform_unavailable')
  const ended = await ledger.links.move(quick!, 'abandoned', { cause: 'session_expired' }, audited('link.abandoned'))

  expect([moved, postponed]).toEqual([undefined, undefined])
  expect(ended?.state).toBe('abandoned')
})

test('a move that is refused leaves no audit entry, no event and no escrow', async () => {
  const link = await ledger.addLink('busy')
  await ledger.links.move(link, 'exchanging', { takeOver: true }, audited('link.exchanging'))
  const changes = {
    escrow: { sealed: 'sealed', fingerprint: undefined },
    event: { id: 'evt_refused', name: 'link.failed' as const, payload: {} },
  }

  const refused = await ledger.links.move(link, 'failed', changes, { ...audited('link.failed'), link: link.id })

  expect(refused).toBeUndefined()
  const { rows } = await ledger.pool.query(
    `select id from outbox where id = 'evt_refused' union all select link_id from escrow where link_id = $1
     union all select action from audit where link = $1 and action = 'link.failed'`,
    [link.id],
  )
  expect(rows).toEqual([])
})

test('a move that the table does not know is never written', async () => {
  const link = await ledger.addLink('busy')

  await expect(ledger.links.move(link, 'linked', {}, audited('link.linked'))).rejects.toThrow(
    'never goes from authorizing to linked',
  )
})

test('a session starts one link, whoever races', async () => {
  const first = await ledger.addLink('busy')
  const again = { ...first, id: 'lnk_second', expiresInSeconds: 900 }

  expect(await ledger.links.open(again, audited('link.started'))).toBeUndefined()
})

test.each([
  ['cancelled', 'cancelled_at = now()'],
  ['over', 'expires_at = now()'],
])('a session that is %s by the time of the start opens nothing', async (_, change) => {
  const { sessionId, ...first } = await ledger.addLink('busy')
  await ledger.pool.query('delete from links where id = $1', [first.id])
  await ledger.pool.query(`update connect_sessions set ${change} where id = $1`, [sessionId])
  const link = { ...first, sessionId, expiresInSeconds: 900 }

  expect(await ledger.links.open(link, audited('link.started'))).toBeUndefined()
})

describe('take-overs', () => {
  /** A link in escrow, as a worker has it. */
  async function atWork(): Promise<Link> {
    const opened = await ledger.addLink('busy')
    const sent = await ledger.links.move(opened, 'exchanging', { takeOver: true }, audited('link.exchanging'))
    const escrow = { sealed: 'sealed', fingerprint: undefined }
    return (await ledger.links.move(sent!, 'escrowed', { escrow }, audited('link.escrowed'))) as Link
  }

  const claim = () => ledger.links.claimDue({ limit: 20, perTenant: 20 })

  async function takenOver(link: Link, times: number): Promise<Link | undefined> {
    let claimed: Link | undefined
    for (let time = 0; time < times; time++) {
      await ledger.letBeDue(link)
      claimed = (await claim()).find(({ id }) => id === link.id)
    }
    return claimed
  }

  test('are counted each time a lease ran out', async () => {
    expect(await takenOver(await atWork(), 3)).toMatchObject({ takeovers: 3 })
  })

  test('are none where a link waited for its next try, or for a person', async () => {
    const waiting = await atWork()
    await ledger.links.postpone(waiting, 60, 'platform_unavailable')
    const [left] = await dueLinks('quiet', 1)
    await ledger.letBeDue(waiting)

    const claimed = await claim()

    expect(claimed.map(({ id }) => id).sort()).toEqual([waiting.id, left?.id].sort())
    expect(claimed.map(({ takeovers }) => takeovers)).toEqual([0, 0])
  })

  test('are forgotten when a worker gets on with the link, or lives to try it again', async () => {
    const moved = await takenOver(await atWork(), 2)
    const after = await ledger.links.move(moved!, 'connection_ready', {}, audited('link.connection_ready'))
    const tried = await takenOver(await atWork(), 2)
    const postponed = await ledger.links.postpone(tried!, 60, 'platform_unavailable')

    expect([after?.takeovers, (await ledger.links.find(after!.id))?.takeovers]).toEqual([0, 0])
    expect(postponed?.takeovers).toBe(0)
  })

  test('a link that was taken over before is claimed alone, and its neighbours after it, together', async () => {
    const suspect = await atWork()
    await takenOver(suspect, 1)
    const others = [await atWork(), await atWork()]
    await ledger.letBeDue(suspect, 60)
    for (const each of others) await ledger.letBeDue(each, 30)

    const [first, second, third] = [await claim(), await claim(), await claim()]

    expect(first.map(({ id }) => id)).toEqual([suspect.id])
    expect(second.map(({ id }) => id).sort()).toEqual(others.map(({ id }) => id).sort())
    expect(third).toEqual([])
  })

  test('neighbours that are due before it are claimed without it', async () => {
    const suspect = await atWork()
    await takenOver(suspect, 1)
    const other = await atWork()
    await ledger.letBeDue(other, 60)
    await ledger.letBeDue(suspect, 30)

    expect((await claim()).map(({ id }) => id)).toEqual([other.id])
    expect((await claim()).map(({ id }) => id)).toEqual([suspect.id])
  })
})

describe('a lease', () => {
  test('is kept by the worker that has the link, and by no other', async () => {
    const [link] = await dueLinks('busy', 1)
    const [slow] = await ledger.links.claimDue({ limit: 1, perTenant: 1 })
    await ledger.letBeDue(link!)
    const [quick] = await ledger.links.claimDue({ limit: 1, perTenant: 1 })

    // Copies, as of a worker that does not remember when it last wrote: the ledger is asked.
    expect(await ledger.links.keepLease({ ...slow! })).toBe(false)
    expect(await ledger.links.keepLease({ ...quick! })).toBe(true)
  })

  test('begins anew each time it is kept', async () => {
    const [link] = await dueLinks('busy', 1)
    const [claimed] = await ledger.links.claimDue({ limit: 1, perTenant: 1 })
    await ledger.letBeDue(link!)

    await ledger.links.keepLease({ ...claimed! })

    expect(await ledger.links.claimDue({ limit: 1, perTenant: 1 })).toEqual([])
  })
})

test.each([
  { after: 'a moment', clocks: [100, 100], sure: true },
  { after: 'most of a lease', clocks: [11_000, 11_000], sure: false },
  { after: 'the sleep of the machine, which one clock sleeps through', clocks: [100, 60_000], sure: false },
  { after: 'a clock was set back', clocks: [11_000, -60_000], sure: false },
])('after $after a worker is sure of its lease: $sure', ({ clocks, sure }) => {
  const times = [0, 0]
  const lease = leaseClock(
    30,
    times.map((_, place) => () => times[place] ?? 0),
  )
  const link = { id: 'lnk_1' } as Link
  lease.begin(link, lease.read())
  Object.assign(times, clocks)

  expect(lease.isSure(link)).toBe(sure)
  expect(lease.isSure({ ...link })).toBe(false)
})
