// Every operation of the control plane that changes something, once, and what the record says of it.
import type { Response } from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { operationTable } from '../../src/platform/shared/http/operation-table.ts'
import { samples } from '../support/worlds/platform-samples.ts'
import { createResource, platformWorld } from '../support/worlds/platform-world.ts'

type Person = { key: string; workspace: string }
const walked = new Set<string>()

/** These change nothing that is stored. */
/** A ticket is used up, and nothing else changes: the re-link that follows has its own entries. */
const changeless = ['post /workspaces/availability', 'post /integrations/connections/{connectionName}/repair-tickets']

const world = await platformWorld({ env: { JOB_TASKS: '0' } }) // an execution that is over cannot be cancelled
const ann = await world.enter('ann-s', 'ann@acme.example', 'ann')

afterAll(() => world.close())

/** Asks, finds out which operation that was, and looks for the entry of this very request. */
async function act(person: Person, method: 'post' | 'put' | 'delete', path: string, body?: object) {
  const answer: Response = await world.as(person)[method](`/v0${path}`).send(body)
  expect([method, path, answer.status, answer.body.error]).toEqual([method, path, 200, undefined])
  const found = operationTable(world.operations).find(method.toUpperCase(), path)
  if (found && 'operation' in found) walked.add(`${method} ${found.operation.path}`)
  const { rows } = await world.pool.query(
    'select actor_label, credential, action from audit_events where request_id = $1',
    [answer.headers['x-request-id']],
  )
  expect([method, path, rows.length]).toEqual([method, path, 1])
  const label = person === ann ? 'ann@acme.example' : 'admin@acme.example'
  expect(rows[0]).toMatchObject({ actor_label: label, credential: expect.stringMatching(/^key:/) })
  return { ...answer.body, action: rows[0].action }
}

test('creating, updating and deleting any kind of resource is recorded', async () => {
  for (const [kind, { path, parents = [], spec }] of Object.entries(samples)) {
    for (const parent of parents) await world.as(world.admin).post(`/v0${parent.path}`).send(parent.body)
    const body = { metadata: { name: 'noted' }, spec }

    const actions = [
      (await act(world.admin, 'post', path, body)).action,
      (await act(world.admin, 'put', `${path}/noted`, body)).action,
      (await act(world.admin, 'delete', `${path}/noted`)).action,
    ]

    expect(actions).toEqual([`${kind}.created`, `${kind}.updated`, `${kind}.deleted`])
  }
})

test('starting and cancelling an execution is recorded', async () => {
  const job = { metadata: { name: 'noted-job' }, spec: { runtime: { image: 'local/echo' } } }
  await world.as(world.admin).post('/v0/jobs').send(job).expect(200)
  const executions = '/jobs/noted-job/executions'

  const started = await act(world.admin, 'post', executions, { tasks: [{}] })
  const cancelled = await act(world.admin, 'delete', `${executions}/${started.executionId}`)

  expect([started.action, cancelled.action]).toEqual(['execution.started', 'execution.cancelled'])
})

test('changes to service accounts, keys, members and workspaces are recorded', async () => {
  const { admin } = world
  const robot = await act(admin, 'post', '/service_accounts', { name: 'robot' })
  const account = `/service_accounts/${robot.clientId}`
  const robotKey = await act(admin, 'post', `${account}/api_keys`, { name: 'k' })
  await act(admin, 'delete', `${account}/api_keys/${robotKey.id}`)
  await act(admin, 'put', account, { name: 'robot', description: 'Does things.' })
  await act(admin, 'delete', account)
  const own = await act(admin, 'post', '/api_keys', { name: 'own' })
  await act(admin, 'delete', `/api_keys/${own.id}`)

  const users = '/workspaces/acme/users'
  await act(admin, 'post', users, { email: 'ann@acme.example' })
  await act(ann, 'post', '/workspaces/acme/decline')
  await act(admin, 'post', users, { email: 'ann@acme.example' })
  await act(ann, 'post', '/workspaces/acme/join')
  await act(admin, 'put', `${users}/ann@acme.example`, { role: 'admin' })
  const accountUsers = `/accounts/${world.admin.accountId}/users`
  await act(admin, 'put', `${accountUsers}/ann@acme.example`, { role: 'member' })
  await act(admin, 'delete', `${accountUsers}/ann@acme.example`)
  await act(ann, 'delete', '/workspaces/acme/leave')
  await act(admin, 'post', users, { email: 'guest@acme.example' })
  await act(admin, 'delete', `${users}/guest@acme.example`)

  await act(admin, 'post', '/workspaces', { name: 'brief' })
  await act(admin, 'put', '/workspaces/brief', { name: 'brief', displayName: 'Brief' })
  await act(admin, 'delete', '/workspaces/brief')
})

test('creating and revoking logins and grants of a function is recorded', async () => {
  const spec = { type: 'mcp', runtime: { type: 'mcp' }, integrationConnections: [] }
  await createResource(world.as(world.admin), 'functions', 'noted-function', spec)
  const found = await world.pool.query(`select id from resources where name = 'noted-function'`)
  const of = { workspace: 'acme', name: 'noted-function', functionId: found.rows[0].id }
  const grant = { id: 'fg_1', ...of, accountId: 'a', accountLabel: 'a' }
  const app = { endUserId: 'u', clientId: 'c', clientName: 'C', redirectTo: 'r', scopes: ['tools:read'] }
  await world.adapters.functionGrants.add('grant-1', { ...grant, ...app })

  const endUser = { id: 'u', label: 'user@acme.example' }
  const login = await act(world.admin, 'post', '/functions/noted-function/logins', { endUser })
  const ended = await act(world.admin, 'delete', '/functions/noted-function/logins?endUserId=u')
  const revoked = await act(world.admin, 'delete', '/functions/noted-function/grants/fg_1')

  const actions = [login, ended, revoked].map(({ action }) => action)
  expect(actions).toEqual(['functionlogin.created', 'functionlogin.ended', 'functiongrant.revoked'])
})

test('approving tools is recorded', async () => {
  const spec = { type: 'mcp', runtime: { type: 'mcp' }, integrationConnections: [] }
  await createResource(world.as(world.admin), 'functions', 'noted-tools', spec)
  const { rows } = await world.pool.query("select id from resources where name = 'noted-tools'")
  const key = { functionId: rows[0].id, integration: 'vendor', position: 0 }
  const see = (hash: string) =>
    world.adapters.toolLists.see(key, {
      connection: 'linked',
      seenWith: 'c:1',
      listed: { hash, tools: [], instructions: undefined },
      capabilities: ['tools'],
      policy: 'hold',
    })
  await see('0'.repeat(64))
  await see('1'.repeat(64))

  const approval = { integration: 'vendor', hash: '1'.repeat(64) }
  const { action } = await act(world.admin, 'post', '/functions/noted-tools/tool-lists/approval', approval)

  expect(action).toBe('function.updated')
})

test('every operation that writes is covered', () => {
  const changing = world.operations
    .filter(({ method }) => method !== 'get')
    .map(({ method, path }) => `${method} ${path}`)

  expect([...walked, ...changeless].sort()).toEqual(changing.sort())
})
