import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type RelinkWorld, startRelinking, titleOf, ways } from '../../support/worlds/relink-world.ts'

describe.each(ways)('with $way', ({ put }) => {
  let world: RelinkWorld

  beforeAll(async () => {
    world = await startRelinking({ put })
  })
  afterEach(() => {
    world.provider.calm()
    world.platform.fault = undefined
  })
  afterAll(() => world.close())

  test('the user signs in once more, the same connection works with the new grant, and the old one is revoked', async () => {
    const id = await world.link()
    const before = await world.secretsOf(id)
    const first = await world.connection(id)

    const { page, link } = await world.relink(id)

    const after = await world.secretsOf(id)
    expect(link).toMatchObject({ status: 'linked', purpose: 'relink', connectionId: id })
    expect(titleOf(page)).toBe('Provider is reconnected')
    expect(after.REFRESH_TOKEN).not.toBe(before.REFRESH_TOKEN)
    expect(world.provider.seen.revocations).toEqual([before.REFRESH_TOKEN])
    const now = await world.connection(id)
    expect(now).toMatchObject({ status: 'active', functionUrl: first.functionUrl, relinkedAt: expect.any(String) })
    expect(now.name === first.name).toBe(put)
    expect(await world.storedGrantsOf(id)).toMatchObject([{ slot: 'current', sealed: expect.stringMatching(/^v1\./) }])
    const owned = [...world.platform.connections.values()].filter(({ metadata }) =>
      Object.values(metadata.labels ?? {}).includes(id),
    )
    expect(owned).toHaveLength(1)
  })

  test('somebody who came with another account and may try again keeps nobody else from mending it', async () => {
    const id = await world.link()
    world.provider.misbehave({ subject: 'account-2', email: 'second@provider.example' })
    const stranger = await world.relink(id)
    world.provider.misbehave({ subject: 'account-1', email: 'first@provider.example' })

    const { link } = await world.relink(id)

    expect(stranger.link).toMatchObject({ status: 'pending', cause: { code: 'account_mismatch' } })
    expect(link).toMatchObject({ status: 'linked' })
  })
})
