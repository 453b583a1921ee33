// Races and clocks that the ledger's contract cannot show.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import { leaseClock } from '../../../../src/onboarding/provisioning/adapters/postgres/links.ts'
import { type LedgerWorld, openLedger } from '../../../support/worlds/ledger.ts'

let ledger: LedgerWorld

beforeAll(async () => {
  ledger = await openLedger()
  await ledger.addTenant('busy')
})
afterAll(() => ledger.close())

test('each due link is claimed by one of several concurrent workers', async () => {
  const due: Link[] = []
  for (let place = 0; place < 20; place++) due.push(await ledger.addLink('busy'))
  for (const link of due) await ledger.letBeDue(link, 5)

  const claims = await Promise.all(Array.from({ length: 8 }, () => ledger.links.claimDue({ limit: 20, perTenant: 20 })))

  const ids = claims.flat().map(({ id }) => id)
  expect(ids.toSorted()).toEqual(due.map(({ id }) => id).toSorted())
})

test.each([
  { after: 'a moment', clocks: [100, 100], sure: true },
  { after: 'most of a lease', clocks: [11_000, 11_000], sure: false },
  { after: 'the sleep of the machine, which one clock sleeps through', clocks: [100, 60_000], sure: false },
  { after: 'a clock was set back', clocks: [11_000, -60_000], sure: false },
])('after $after a worker considers its lease valid: $sure', ({ clocks, sure }) => {
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
