import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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

describe('a grant that nobody put to work', () => {
  test.each(['/v0/integrations/connections', '/v0/functions'])(
    'is revoked after a week, after a refusal at %s: the tenant is told, and nothing is left',
    async (path) => {
      const id = await refusedAt(path)
      await letPass(id, 8)

      await world.flows.expireStalledLinks()

      expect(await linkBy(id)).toMatchObject({ status: 'failed', cause: { code: 'platform_refused' } })
      expect(lastIssued()).toMatchObject({ revoked: true })
      expect(await escrowOf(id)).toEqual([])
      expect(await told(id)).toEqual([{ name: 'link.failed' }])
      expect([world.platform.connections.size, world.platform.functions.size]).toEqual([0, 0])
    },
  )

  test('is kept until then, and can be resumed', async () => {
    const id = await refusedAt('/v0/functions')
    await letPass(id, 6)

    await world.flows.expireStalledLinks()

    expect(await linkBy(id)).toMatchObject({ status: 'needs_attention' })
    // As the guides say: nothing is announced while it waits, and its end is.
    expect(await told(id)).toEqual([])
    expect((await world.api('POST', `/links/${id}/resume`)).body).toMatchObject({ status: 'linked' })
    expect(await told(id)).toEqual([{ name: 'link.succeeded' }])
  })

  test('is revoked also while the platform refuses everything', async () => {
    const id = await refusedAt('/v0/functions')
    await letPass(id, 8)
    world.platform.fault = () => 422

    await world.flows.expireStalledLinks()

    expect(await linkBy(id)).toMatchObject({ status: 'failed' })
    expect(lastIssued()).toMatchObject({ revoked: true })
  })

  test('stays sealed where the provider does not revoke it, and can still be put to work', async () => {
    const id = await refusedAt('/v0/functions')
    await letPass(id, 8)
    world.provider.misbehave({ refusesRevocation: true })

    await world.flows.expireStalledLinks()

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

  test('is not revoked while somebody resumes it: one of the two has it', async () => {
    const id = await refusedAt('/v0/functions')
    await letPass(id, 8)

    await Promise.all([world.flows.expireStalledLinks(), world.api('POST', `/links/${id}/resume`)])

    const { status } = await linkBy(id)
    expect(['linked', 'failed']).toContain(status)
    expect(lastIssued()?.revoked).toBe(status === 'failed')
  })
})

describe('a re-link that nobody looked at', () => {
  test('is left alone where its grant may be the one in use', async () => {
    const connection = await world.link()
    world.platform.fault = ({ method }) => (method === 'PUT' ? 422 : undefined)
    const { link } = await world.relink(connection)
    world.platform.fault = undefined
    await letPass(link.id, 8)

    await world.flows.expireStalledLinks()

    expect(await linkBy(link.id)).toMatchObject({ status: 'needs_attention' })
    expect(lastIssued()).toMatchObject({ revoked: false })
  })

  test('gives its grant back once the connection was linked again, and the one in use stays', async () => {
    const connection = await world.link()
    world.platform.fault = ({ method }) => (method === 'PUT' ? 422 : undefined)
    const { link } = await world.relink(connection)
    const overtaken = lastIssued()
    world.platform.fault = undefined
    await world.relink(connection)
    await letPass(link.id, 8)

    await world.flows.expireStalledLinks()

    expect(await linkBy(link.id)).toMatchObject({ status: 'failed' })
    expect(overtaken).toMatchObject({ revoked: true })
    expect(await world.connection(connection)).toMatchObject({ status: 'active' })
    expect(lastIssued()).toMatchObject({ revoked: false })
  })
})

describe('where revoking one grant ends all that an account granted', () => {
  let careful: RelinkWorld

  beforeAll(async () => {
    careful = await startRelinking({ integration: { revocation: { reach: 'grant' } } })
  })
  afterAll(() => careful.close())

  /** Refused before the ledger knew whose it is. */
  async function stalled() {
    careful.platform.fault = ({ method }) => (method === 'POST' ? 422 : undefined)
    const minted = await careful.mint()
    const { body } = await careful.complete(minted, (await careful.consent(minted)).query)
    careful.platform.fault = undefined
    await careful.sql.query(`update links set updated_at = now() - interval '8 days' where id = $1`, [body.id])
    return body.id
  }

  test('a grant that shares its consent with a connection in use is forgotten, and the connection lives on', async () => {
    careful.provider.misbehave({ revokesWholeGrant: true })
    const connection = await careful.link()
    const id = await stalled()

    await careful.flows.expireStalledLinks()

    expect((await careful.api('GET', `/links/${id}`)).body).toMatchObject({ status: 'failed' })
    expect(careful.provider.seen.revocations).toEqual([])
    expect(await careful.connection(connection)).toMatchObject({ status: 'active' })
  })

  test('a grant of an account that nobody else uses is revoked', async () => {
    careful.provider.misbehave({ subject: 'account-2', email: 'second@provider.example' })
    const id = await stalled()

    await careful.flows.expireStalledLinks()

    expect((await careful.api('GET', `/links/${id}`)).body).toMatchObject({ status: 'failed' })
    expect(careful.provider.seen.revocations).toEqual([careful.provider.issued.at(-1)?.token])
  })
})
