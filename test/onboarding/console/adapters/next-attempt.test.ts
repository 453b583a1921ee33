import { expect, test } from 'vitest'
import { countRetries } from '../../../../src/onboarding/console/adapters/support-overview.ts'
import { audited, openLedger } from '../../../support/worlds/ledger.ts'

test('a link that a process of an earlier release has claimed is not touched', async () => {
  const ledger = await openLedger()
  await ledger.addTenant('acme')
  const waiting = await ledger.links.postpone(await ledger.addLink('acme'), 60, 'platform_unavailable')
  // Such a process knows neither the next try nor who else might look at it.
  await ledger.pool.query(`update links set due_at = now() + interval '30 s'`)

  const claimed = await ledger.links.claimWaiting(waiting!, audited('link.resumed'))

  expect(claimed).toBeUndefined()
  await ledger.close()
})

test('a link that was moved back a step is listed among retries', async () => {
  const ledger = await openLedger()
  await ledger.addTenant('acme')
  const [waits] = [await ledger.addLink('acme'), await ledger.addLink('acme')]
  const sentBack = `update links set cause = 'provider_unavailable', next_attempt_at = now() + interval '9 s' where id = $1`
  await ledger.pool.query(sentBack, [waits.id])

  const groups = await countRetries(ledger.pool)

  expect(groups).toMatchObject([{ cause: 'provider_unavailable', count: 1 }])
  await ledger.close()
})
