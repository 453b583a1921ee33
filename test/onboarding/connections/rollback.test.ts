import { expect, test } from 'vitest'
import { type RelinkWorld, startRelinking, ways } from '../../support/worlds/relink-world.ts'

const rollback = (world: RelinkWorld, id: string) =>
  world.api('POST', `/connections/${id}/rollback`, { reason: 'the new one misbehaves' })

test.each(ways)('restores the previous grant, which is kept for a day, with $way', async ({ put }) => {
  // Like Google: revoking one token ends the whole consent, so the previous grant is kept.
  const world = await startRelinking({ put, integration: { revocation: { reach: 'grant' } } })
  const id = await world.link()
  const first = await world.secretsOf(id)
  await world.relink(id)
  const kept = await world.storedGrantsOf(id)
  const second = await world.secretsOf(id)

  const { body } = await rollback(world, id)

  expect(kept).toMatchObject([
    { slot: 'current', sealed: expect.any(String), keep_until: null },
    { slot: 'previous', sealed: expect.any(String), keep_until: expect.any(Date) },
  ])
  expect(kept[1].keep_until - Date.now()).toBeGreaterThan(23 * 3_600_000)
  expect(second.REFRESH_TOKEN).not.toBe(first.REFRESH_TOKEN)
  expect(body).toMatchObject({ kind: 'rollback', status: 'done' })
  expect(await world.secretsOf(id)).toEqual(first)
  expect(world.provider.seen.revocations).toEqual([])
  expect(await world.api('POST', `/connections/${id}/health-checks`, { reason: 'after it' })).toMatchObject({
    body: { outcome: 'healthy' },
  })
  await world.close()
})

test('without stored grants, a rollback is rejected and a disconnect reports that it did not revoke', async () => {
  const world = await startRelinking({ env: { KEEP_GRANTS: 'false' }, integration: { revocation: { reach: 'grant' } } })
  const id = await world.link()
  const { link } = await world.relink(id)

  const kept = await world.storedGrantsOf(id)
  const refused = await rollback(world, id)
  const { body } = await world.api('POST', `/connections/${id}/disconnect`, { reason: 'any' })

  expect(link).toMatchObject({ status: 'linked' })
  expect(kept).toMatchObject([
    { slot: 'current', sealed: null, trial_refresh: null, fingerprint: expect.stringMatching(/^\w{12}$/) },
  ])
  expect(refused.body).toMatchObject({ code: 'rollback_impossible' })
  expect(body).toMatchObject({ status: 'done', revocation: 'not_kept' })
  expect(world.provider.seen.revocations).toEqual([])
  await world.close()
})
