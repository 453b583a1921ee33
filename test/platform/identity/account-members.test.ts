// Account members, who see the costs of the whole account.
import { afterAll, beforeEach, expect, test } from 'vitest'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

let made = 0
let boss: ReturnType<PlatformWorld['as']>
let colleague: ReturnType<PlatformWorld['as']>
let colleagueAddress = ''
let account = ''

const world = await platformWorld()

afterAll(() => world.close())

/** A separate account with an admin and a user who is only a member of its workspace. */
beforeEach(async () => {
  const workspace = `account-team-${made++}`
  boss = world.as(await world.enter(workspace, `boss-${made}@acme.example`, `account-${made}`))
  account = (await boss.get('/v0/accounts').expect(200)).body[0].id
  colleagueAddress = `colleague-${made}@acme.example`
  colleague = world.as(await world.enter(`colleague-home-${made}`, colleagueAddress, `colleague-account-${made}`))
  await boss.post(`/v0/workspaces/${workspace}/users`).send({ email: colleagueAddress }).expect(200)
  await colleague.post(`/v0/workspaces/${workspace}/join`).expect(200)
})

const users = () => `/v0/accounts/${account}/users`
const costs = (client: typeof boss) =>
  client
    .get(`/v0/accounts/${account}/metrics`)
    .query({ startTime: '2026-01-01T00:00:00Z', endTime: '2026-01-02T00:00:00Z', groupBy: 'workspace' })
const listed = async () =>
  (await boss.get(users())).body.map(({ email, role }: Record<string, string>) => [email, role])

test('an admin adds another admin, who can then see the costs by workspace', async () => {
  const before = await costs(colleague)

  const set = await boss.put(`${users()}/${colleagueAddress.toUpperCase()}`).send({ role: 'admin' })
  const after = await costs(colleague)

  expect(set.status).toBe(200)
  expect(set.body).toEqual({ sub: expect.any(String), email: colleagueAddress, role: 'admin' })
  expect([before.status, after.status]).toEqual([404, 200])
  expect(await listed()).toEqual([
    [`boss-${made}@acme.example`, 'admin'],
    [colleagueAddress, 'admin'],
  ])
})

test('a member is not an admin, and a removed member loses access', async () => {
  const { body } = await boss.put(`${users()}/${colleagueAddress}`).send({ role: 'member' }).expect(200)
  const asMember = [await costs(colleague), await colleague.get(users()), await promote(colleague)]

  await boss.delete(`${users()}/${body.sub}`).expect(200)
  const asStranger = [await costs(colleague), await colleague.get(users()), await promote(colleague)]

  expect(asMember.map(({ status }) => status)).toEqual([403, 403, 403])
  expect(asStranger.map(({ status }) => status)).toEqual([404, 404, 404])
  expect(await listed()).toEqual([[`boss-${made}@acme.example`, 'admin']])
})

const promote = (client: typeof boss) => client.put(`${users()}/${colleagueAddress}`).send({ role: 'admin' })

test('a user outside the account gets the same error as an unknown user', async () => {
  const elsewhere = `elsewhere-${made}@acme.example`
  await world.enter(`elsewhere-home-${made}`, elsewhere, `elsewhere-account-${made}`)

  const known = await boss.put(`${users()}/${elsewhere}`).send({ role: 'admin' })
  const unknown = await boss.put(`${users()}/never-was@acme.example`).send({ role: 'admin' })

  expect([known.status, unknown.status]).toEqual([404, 404])
  expect({ ...known.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' })
})

test("the last admin can't be removed, even when two remove each other concurrently", async () => {
  const own = `${users()}/boss-${made}@acme.example`
  const alone = [await boss.delete(own), await boss.put(own).send({ role: 'member' })]
  await promote(boss).expect(200)

  const both = await Promise.all([boss.delete(`${users()}/${colleagueAddress}`), colleague.delete(own)])
  const left = await world.pool.query(`select from account_members where account_id = $1 and role = 'admin'`, [account])

  expect(alone.map(({ status }) => status)).toEqual([409, 409])
  expect(left.rowCount).toBe(1)
  expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('every change is audited with its actor', async () => {
  await promote(boss).expect(200)
  await boss.delete(`${users()}/${colleagueAddress}`).expect(200)

  const { rows } = await world.pool.query(
    'select action, actor_label, resource_name from audit_events where resource_id = $1 order by id',
    [account],
  )

  expect(rows).toEqual(
    ['account.member.set', 'account.member.removed'].map((action) => ({
      action,
      actor_label: `boss-${made}@acme.example`,
      resource_name: colleagueAddress,
    })),
  )
})
