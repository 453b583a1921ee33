import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expireStalledLinks } from '../../../../src/onboarding/provisioning/flows/stalled-links/end-stalled-link.ts'
import { type RelinkWorld, startRelinking } from '../../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking({ env: { ESCROW_DAYS: '7' } })
})
beforeEach(() => world.provider.calm())
afterEach(() => {
  world.platform.fault = undefined
  world.platform.connections.clear()
  world.platform.functions.clear()
})
afterAll(() => world.close())

/** A link that the platform refused for good. */
async function refusedAt(path: string): Promise<string> {
  world.platform.fault = (request) => (request.method === 'POST' && request.path === path ? 422 : undefined)
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  world.platform.fault = undefined
  return body.id
}

const letPass = (link: string, days: number) =>
  world.sql.query('update links set updated_at = updated_at - make_interval(days => $2) where id = $1', [link, days])

const linkBy = async (id: string) => (await world.api('GET', `/links/${id}`)).body

const escrowOf = async (id: string) => (await world.sql.query('select 1 from escrow where link_id = $1', [id])).rows

const told = async (id: string) =>
  (await world.sql.query(`select event as name from outbox where payload ->> 'linkId' = $1`, [id])).rows

const lastIssued = () => world.provider.issued.at(-1)

describe('a parked grant', () => {
  test.each(['/v0/integrations/connections', '/v0/functions'])(
    'is revoked a week after a rejection at %s, with an event',
    async (path) => {
      const id = await refusedAt(path)
      await letPass(id, 8)

      await expireStalledLinks(world.ports, world.settings)

      expect(await linkBy(id)).toMatchObject({ status: 'failed', cause: { code: 'platform_refused' } })
      expect(lastIssued()).toMatchObject({ revoked: true })
      expect(await escrowOf(id)).toEqual([])
      expect(await told(id)).toEqual([{ name: 'link.failed' }])
      expect([world.platform.connections.size, world.platform.functions.size]).toEqual([0, 0])
    },
  )

  test('stays sealed if the provider does not revoke it, and can still be resumed', async () => {
    const id = await refusedAt('/v0/functions')
    await letPass(id, 8)
    world.provider.misbehave({ refusesRevocation: true })

    await expireStalledLinks(world.ports, world.settings)

    expect(await linkBy(id)).toMatchObject({ status: 'needs_attention', cause: { code: 'platform_refused' } })
    expect(await escrowOf(id)).toHaveLength(1)
    expect(await told(id)).toEqual([])
    expect((await world.audit('link.needs_attention')).at(-1)).toMatchObject({
      link: id,
      facts: { cause: 'platform_refused', stalled: true },
    })
    expect((await world.api('POST', `/links/${id}/resume`)).body).toMatchObject({ status: 'linked' })
    expect([world.platform.connections.size, world.platform.functions.size]).toEqual([1, 1])
  })

  test('is either revoked or resumed, not both', async () => {
    const id = await refusedAt('/v0/functions')
    await letPass(id, 8)

    await Promise.all([expireStalledLinks(world.ports, world.settings), world.api('POST', `/links/${id}/resume`)])

    const { status } = await linkBy(id)
    expect(['linked', 'failed']).toContain(status)
    expect(lastIssued()?.revoked).toBe(status === 'failed')
  })
})

describe('a parked re-link', () => {
  test('is revoked once the connection was re-linked, and the current grant is kept', async () => {
    const connection = await world.link()
    world.platform.fault = ({ method }) => (method === 'PUT' ? 422 : undefined)
    const { link } = await world.relink(connection)
    const overtaken = lastIssued()
    world.platform.fault = undefined
    await world.relink(connection)
    await letPass(link.id, 8)

    await expireStalledLinks(world.ports, world.settings)

    expect(await linkBy(link.id)).toMatchObject({ status: 'failed' })
    expect(overtaken).toMatchObject({ revoked: true })
    expect(await world.connection(connection)).toMatchObject({ status: 'active' })
    expect(lastIssued()).toMatchObject({ revoked: false })
  })
})
