import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

let workspace = ''
let made = 0

const world = await platformWorld()
const api = world.as(world.admin)

afterAll(() => world.close())

beforeEach(async () => {
  workspace = `team-${made++}`
  await api.post('/v0/workspaces').send({ name: workspace, displayName: 'The Team' }).expect(200)
})

/** An unrelated user with a key and a workspace. */
const stranger = async (name: string) => {
  const email = `${name}-${made}@other.example`
  return { email, client: world.as(await world.enter(`home-${name}-${made}`, email, 'other')) }
}
const users = () => `/v0/workspaces/${workspace}/users`
const inside = (client: typeof api) => client.get('/v0/drives').set('X-Service-Workspace', workspace)
type User = { email: string; role: string; accepted: boolean; source: string }
const listed = async (client = api): Promise<string[]> =>
  (await client.get(users())).body.map((user: User) => `${user.email} ${user.role} ${user.source}`)

describe('an invitation', () => {
  test('is visible only to the invited user and opens the workspace when accepted', async () => {
    const { email, client } = await stranger('ann')
    const before = await inside(client)

    const invited = await api.post(users()).send({ email: email.toUpperCase(), role: 'member' })
    const seen = await client.get('/v0/profile/invitations')
    const notYet = await inside(client)
    const joined = await client.post(`/v0/workspaces/${workspace}/join`)
    const after = await inside(client)

    expect(invited.body).toEqual({ email, role: 'member', accepted: false, source: 'invitation', workspace })
    expect(seen.body).toEqual([
      expect.objectContaining({
        workspace,
        workspaceDisplayName: 'The Team',
        email,
        role: 'member',
        invitedBy: 'admin@acme.example',
      }),
    ])
    expect((await api.get('/v0/profile/invitations')).body).toEqual([])
    expect(joined.body).toMatchObject({ sub: expect.any(String), email, role: 'member', accepted: true })
    expect([before.status, notYet.status, after.status]).toEqual([403, 403, 200])
    expect((await client.get('/v0/profile/invitations')).body).toEqual([])
    expect((await client.post(`/v0/workspaces/${workspace}/join`)).status).toBe(404)
  })

  test('that is declined grants no access', async () => {
    const { email, client } = await stranger('bob')
    await api.post(users()).send({ email }).expect(200)

    const declined = await client.post(`/v0/workspaces/${workspace}/decline`)
    const joined = await client.post(`/v0/workspaces/${workspace}/join`)

    expect([declined.status, declined.body.workspace, joined.status]).toEqual([200, workspace, 404])
    expect(await listed()).toEqual(['admin@acme.example admin member'])
  })

  test('can be removed, and a second one replaces the first', async () => {
    const { email, client } = await stranger('cy')
    await api.post(users()).send({ email, role: 'admin' }).expect(200)
    await api.post(users()).send({ email, role: 'member' }).expect(200)
    const once = await listed()

    await api.delete(`${users()}/${email}`).expect(200)

    expect(once).toEqual(['admin@acme.example admin member', `${email} member invitation`])
    expect((await client.post(`/v0/workspaces/${workspace}/join`)).status).toBe(404)
  })

  test('waits for a user who does not exist yet', async () => {
    const email = `later-${made}@other.example`
    await api.post(users()).send({ email }).expect(200)

    const later = world.as(await world.enter(`later-${made}`, email, 'other'))

    expect((await later.post(`/v0/workspaces/${workspace}/join`)).status).toBe(200)
  })

  test('returns 409 for a member and 400 for an invalid address', async () => {
    const answers = [
      await api.post(users()).send({ email: 'admin@acme.example' }),
      await api.post(users()).send({ email: 'nobody' }),
      await api.post(users()).send({ email: 'x@acme.example', role: 'owner' }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([409, 400, 400])
  })
})

describe('a member', () => {
  const joined = async (name: string, role: 'admin' | 'member') => {
    const person = await stranger(name)
    await api.post(users()).send({ email: person.email, role }).expect(200)
    await person.client.post(`/v0/workspaces/${workspace}/join`).expect(200)
    return person
  }

  test('can list members, and only an admin can change them', async () => {
    const { email, client } = await joined('dee', 'member')

    const seen = await client.get(users())
    const refused = [
      await client.post(users()).send({ email: 'x@acme.example' }),
      await client.put(`${users()}/${email}`).send({ role: 'admin' }),
      await client.delete(`${users()}/admin@acme.example`),
    ]

    expect(seen.body.map((user: User) => user.email)).toEqual(['admin@acme.example', email])
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
  })

  test('gets another role, by address or ID', async () => {
    const { email } = await joined('eve', 'member')
    const [, { sub }] = (await api.get(users())).body

    const byAddress = await api.put(`${users()}/${email}`).send({ role: 'admin' })
    const byId = await api.put(`${users()}/${sub}`).send({ role: 'member' })

    expect([byAddress.body.role, byId.body.role]).toEqual(['admin', 'member'])
    expect((await api.put(`${users()}/nobody@acme.example`).send({ role: 'admin' })).status).toBe(404)
  })

  test('loses access by leaving or being removed', async () => {
    const [fay, guy] = [await joined('fay', 'member'), await joined('guy', 'member')]

    const left = await fay.client.delete(`/v0/workspaces/${workspace}/leave`)
    const removed = await api.delete(`${users()}/${guy.email}`)

    expect([left.status, removed.status]).toEqual([200, 200])
    expect(await listed()).toEqual(['admin@acme.example admin member'])
    for (const { client } of [fay, guy])
      await waitFor('access has ended', async () => (await inside(client)).status === 403)
  })

  test('cannot be removed as the last admin, even concurrently', async () => {
    const { email, client } = await joined('hal', 'admin')
    const other = 'admin@acme.example'

    const both = await Promise.all([api.delete(`${users()}/${email}`), client.delete(`${users()}/${other}`)])
    // The first one stays. The other one may have lost access.
    const [last, stays] = both[0].status === 200 ? [api, other] : [client, email]
    const admins = (await listed(last)).filter((line) => line.includes(' admin '))
    const refused = [
      await last.delete(`/v0/workspaces/${workspace}/leave`),
      await last.put(`${users()}/${stays}`).send({ role: 'member' }),
    ]

    expect(admins).toEqual([`${stays} admin member`])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual([
      [409, 'in_use'],
      [409, 'in_use'],
    ])
  })

  test('of another workspace cannot see this one or its existence', async () => {
    const { client } = await stranger('ida')

    const answers = [
      await client.get(users()),
      await client.post(users()).send({ email: 'x@acme.example' }),
      await client.delete(`/v0/workspaces/${workspace}/leave`),
      await client.get('/v0/workspaces/never-was/users'),
    ]

    expect(new Set(answers.map(({ status, body }) => `${status} ${body.message}`))).toEqual(
      new Set(['404 No workspace has this name.']),
    )
  })

  test('is audited on every change', async () => {
    const { email } = await joined('jon', 'member')
    await api.put(`${users()}/${email}`).send({ role: 'admin' })
    await api.delete(`${users()}/${email}`)

    const { body } = await api.get('/v0/audit').set('X-Service-Workspace', workspace)

    expect(
      body.data.map(
        ({ action, resource }: { action: string; resource: { name: string } }) => `${action} ${resource.name}`,
      ),
    ).toEqual([
      `member.removed ${email}`,
      `member.updated ${email}`,
      `member.joined ${email}`,
      `member.invited ${email}`,
      `workspace.created ${workspace}`,
    ])
  })

  test("must be a user: service accounts can't list invitations or leave", async () => {
    await world.addServiceAccount(`robot-${made}`, 'admin', 'robot-secret', workspace)
    const { body } = await api
      .post(`/v0/service_accounts/robot-${made}/api_keys`)
      .set('X-Service-Workspace', workspace)
      .send({ name: 'k' })
    const robot = world.as({ key: body.apiKey, workspace })

    const answers = [
      await robot.get('/v0/profile/invitations'),
      await robot.delete(`/v0/workspaces/${workspace}/leave`),
    ]

    expect(answers.map(({ status }) => status)).toEqual([403, 403])
  })
})

describe('a directory group', () => {
  const map = (...groupMappings: object[]) =>
    api.put(`/v0/workspaces/${workspace}`).send({ name: workspace, groupMappings }).expect(200)
  const people = () => world.adapters.members

  test('mapped by a workspace gives its members the role, and removes it with the mapping or membership', async () => {
    const email = `kim-${made}@acme.example`
    const client = world.as(await world.enter(`kims-${made}`, email, 'other'))
    await people().setGroups('demo', email, ['engineering', 'unmapped'])
    const before = await inside(client)

    await map({ groupName: 'engineering', role: 'member' })
    const after = await inside(client)
    const seen = await listed()
    await map({ groupName: 'engineering', role: 'admin' }, { groupName: 'sales', role: 'member' })
    const stronger = await listed()
    await people().setGroups('demo', email, ['unmapped'])

    expect([before.status, after.status]).toEqual([403, 200])
    expect(seen).toContain(`${email} member group`)
    expect(stronger).toContain(`${email} admin group`)
    expect(await listed()).toEqual(['admin@acme.example admin member'])
  })

  test('counts beside a membership if its role is higher', async () => {
    const { email, client } = await stranger('lou')
    await api.post(users()).send({ email }).expect(200)
    await client.post(`/v0/workspaces/${workspace}/join`).expect(200)
    await people().setGroups('demo', email, ['admins'])

    await map({ groupName: 'admins', role: 'admin' })

    expect(await listed()).toContain(`${email} admin member`)
  })

  test('of another account grants no access', async () => {
    const { email, client } = await stranger('max')
    await people().setGroups('other', email, ['engineering'])

    await map({ groupName: 'engineering', role: 'admin' })

    expect((await inside(client)).status).toBe(403)
    expect(await people().setGroups('never-was', email, [])).toBe(false)
  })
})
