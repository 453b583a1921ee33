import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { grantRevoked } from '../../support/doubles/control-plane.ts'
import { type RelinkWorld, startRelinking, ways } from '../../support/worlds/relink-world.ts'

const rollback = (world: RelinkWorld, id: string) =>
  world.api('POST', `/connections/${id}/rollback`, { reason: 'the new one misbehaves' })

/** As if the task's time had come, again and again. */
async function passTime(world: RelinkWorld, rounds = 6) {
  for (let round = 0; round < rounds; round++) {
    await world.sql.query('update connection_tasks set due_at = now() where due_at is not null')
    await world.flows.resumeTasks()
  }
}

const taskOf = async (world: RelinkWorld, id: string) =>
  (
    await world.sql.query(
      'select step, cause, due_at from connection_tasks where connection_id = $1 order by id desc limit 1',
      [id],
    )
  ).rows[0]

describe.each(ways)('with $way', ({ put }) => {
  let world: RelinkWorld

  beforeAll(async () => {
    // Like Google: revoking one token ends the whole consent, so the grant before is kept for a day.
    world = await startRelinking({ put, integration: { revocation: { reach: 'grant' } } })
  })
  afterEach(() => {
    world.provider.calm()
    world.platform.fault = undefined
  })
  afterAll(() => world.close())

  test('the grant before is kept for a day, and going back to it makes it the one in use again', async () => {
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
  })

  test('going back twice is going forward again', async () => {
    const id = await world.link()
    await world.relink(id)
    const second = await world.secretsOf(id)

    await rollback(world, id)
    const { body } = await rollback(world, id)

    expect(body).toMatchObject({ status: 'done' })
    expect(await world.secretsOf(id)).toEqual(second)
  })

  test('a grant that the provider no longer honours is not gone back to', async () => {
    const id = await world.link()
    const first = await world.secretsOf(id)
    await world.relink(id)
    const second = await world.secretsOf(id)
    for (const issued of world.provider.issued) if (issued.token === first.REFRESH_TOKEN) issued.revoked = true

    const { body } = await rollback(world, id)

    expect(body).toMatchObject({ status: 'failed', cause: { code: 'grant_revoked' } })
    expect(await world.secretsOf(id)).toEqual(second)
    const { body: audit } = await world.api('GET', `/audit?connectionId=${id}&action=rollback.failed`)
    expect(audit.data).toMatchObject([
      {
        facts: { cause: 'grant_revoked', unchanged: true },
        before: { status: 'active' },
        after: { status: 'active' },
      },
    ])
  })

  test('when the function does not work with the grant before, everything is put back', async () => {
    const id = await world.link()
    await world.relink(id)
    const second = await world.secretsOf(id)
    const { tool } = world.platform
    world.platform.tool = ({ REFRESH_TOKEN }) => (REFRESH_TOKEN === second.REFRESH_TOKEN ? undefined : grantRevoked)

    const { body } = await rollback(world, id)
    world.platform.tool = tool

    expect(body).toMatchObject({ status: 'failed', cause: { code: 'grant_unusable' } })
    expect(await world.secretsOf(id)).toEqual(second)
  })

  test('when the function refuses to be talked to, everything is put back after a few tries, and nothing is locked', async () => {
    const id = await world.link()
    await world.relink(id)
    const second = await world.secretsOf(id)
    world.platform.fault = ({ path }) => (path.endsWith('/mcp') ? 422 : undefined)

    const { body: waiting } = await rollback(world, id)
    await passTime(world)
    world.platform.fault = undefined

    expect(waiting).toMatchObject({ status: 'pending', step: 'verify_function', cause: { code: 'function_failed' } })
    expect(await taskOf(world, id)).toMatchObject({ step: 'failed', cause: 'grant_unusable' })
    expect(await world.secretsOf(id)).toEqual(second)
    expect((await rollback(world, id)).body).toMatchObject({ status: 'done' })
  })

  test('when the integration is taken away meanwhile, it ends and says so', async () => {
    const id = await world.link()
    await world.relink(id)
    world.platform.fault = ({ method }) => (method === 'GET' ? undefined : 503)
    const { body: waiting } = await rollback(world, id)
    world.platform.fault = undefined
    const { find, of } = world.world.integrations
    Object.assign(world.world.integrations, { find: () => undefined, of: () => undefined })

    await passTime(world)
    Object.assign(world.world.integrations, { find, of })

    expect(waiting).toMatchObject({ status: 'pending', step: 'replace_grant' })
    expect(await taskOf(world, id)).toMatchObject({ step: 'failed', due_at: null })
    expect((await rollback(world, id)).body).toMatchObject({ status: 'done' })
  })

  test('going back also brings back what the grant before allowed', async () => {
    const id = await world.link()
    const first = await world.connection(id)
    world.provider.misbehave({ token: ({ body }) => ({ body: { ...body, scope: `${body.scope} files.write` } }) })
    await world.relink(id)
    const second = await world.connection(id)

    await rollback(world, id)

    expect(second.scopes).toContain('files.write')
    expect(await world.connection(id)).toMatchObject({ scopes: first.scopes })
    const { body } = await world.api('GET', `/audit?connectionId=${id}&action=connection.rolled_back`)
    expect(body.data).toMatchObject([{ before: { scopes: second.scopes }, after: { scopes: first.scopes } }])
  })

  test('after a re-link to another account there is no way back to the first, whose grant is revoked', async () => {
    await world.sql.query(`update connections set account_id = id where account_id = 'account-1'`)
    const id = await world.link()
    const { REFRESH_TOKEN } = await world.secretsOf(id)
    world.provider.misbehave({ subject: 'account-2', email: 'second@provider.example' })

    await world.relinkToOther(id)
    const refused = await rollback(world, id)

    expect(refused).toMatchObject({ status: 409, body: { code: 'rollback_impossible' } })
    expect(world.provider.seen.revocations).toEqual([REFRESH_TOKEN])
    expect(await world.storedGrantsOf(id)).toMatchObject([{ slot: 'current' }])
  })

  test('where another connection lives off the consent of the first account, it is left alone', async () => {
    const [id, other] = [await world.link(), await world.link()]
    world.provider.misbehave({ subject: 'account-3', email: 'third@provider.example' })

    await world.relinkToOther(id)

    expect(world.provider.seen.revocations).toEqual([])
    expect(await world.storedGrantsOf(id)).toMatchObject([{ slot: 'current' }])
    expect(await world.connection(other)).toMatchObject({ status: 'active' })
  })

  test('a stored grant of another account is not gone back to', async () => {
    const id = await world.link()
    await world.relink(id)
    await world.sql.query(`update connections set account_id = 'account-4' where id = $1`, [id])

    const refused = await rollback(world, id)

    expect(refused).toMatchObject({ status: 409, body: { code: 'rollback_impossible' } })
  })

  test('a grant whose day is over is wiped and cannot be gone back to', async () => {
    const id = await world.link()
    await world.relink(id)
    await world.sql.query(
      `update stored_grants set keep_until = now() where connection_id = $1 and slot = 'previous'`,
      [id],
    )

    const { status, body } = await rollback(world, id)
    await world.flows.forgetOld()

    expect({ status, code: body.code }).toEqual({ status: 409, code: 'rollback_impossible' })
    expect(await world.storedGrantsOf(id)).toMatchObject([{ slot: 'current' }])
  })
})

test('a stored grant that cannot be opened stays, and does not keep others from being revoked and wiped', async () => {
  const world = await startRelinking({ integration: { revocation: { reach: 'token' } } })
  const [bad, good] = [await world.link(), await world.link()]
  const { REFRESH_TOKEN } = await world.secretsOf(good)
  await world.sql.query(`update stored_grants set keep_until = now() - interval '1 minute', slot = 'previous'`)
  await world.sql.query(
    `update stored_grants set sealed = 'nobody opens this', keep_until = now() - interval '1 hour' where connection_id = $1`,
    [bad],
  )

  await expect(world.flows.forgetOld()).rejects.toThrow()

  expect(await world.storedGrantsOf(bad)).toHaveLength(1)
  expect(await world.storedGrantsOf(good)).toEqual([])
  expect(world.provider.seen.revocations).toEqual([REFRESH_TOKEN])
  await world.close()
})

test('while the ledger does not answer, no grant is wiped unrevoked', async () => {
  const world = await startRelinking({ integration: { revocation: { reach: 'token' } } })
  const [kept, left] = [await world.link(), await world.link()]
  await world.sql.query(`update stored_grants set keep_until = now(), slot = 'previous' where connection_id = $1`, [
    kept,
  ])
  Object.assign(world.world.tenants, { ownClient: () => Promise.reject(new Error('the database is away')) })

  await expect(world.flows.forgetOld()).rejects.toThrow('away')
  await world.api('POST', `/connections/${left}/disconnect`, { reason: 'any' })

  expect(await world.storedGrantsOf(kept)).toHaveLength(1)
  expect(await world.storedGrantsOf(left)).toHaveLength(1)
  await world.close()
})

test('where grants are not stored, roll back and disconnect say that they cannot revoke or go back', async () => {
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

test('where a provider rotates refresh tokens, going back is refused: what was stored is stale', async () => {
  const world = await startRelinking({ integration: { revocation: { reach: 'grant' }, rotation: 'replaces' } })
  world.provider.behaviour.rotates = true
  const id = await world.link()
  const { link } = await world.relink(id)
  const secrets = await world.secretsOf(id)

  const refused = await rollback(world, id)

  // The platform got the token that came back when the new grant was tried; the one before it is spent.
  expect(link).toMatchObject({ status: 'linked' })
  expect(world.provider.issued.find(({ token }) => token === secrets.REFRESH_TOKEN)).toMatchObject({ revoked: false })
  expect(world.provider.issued.find(({ token }) => token === secrets.REFRESH_TOKEN)?.spent).toBeUndefined()
  expect(refused).toMatchObject({ status: 409, body: { code: 'rollback_impossible' } })
  expect(await world.storedGrantsOf(id)).toMatchObject([{ slot: 'current' }])
  await world.close()
})
