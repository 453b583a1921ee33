import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { brandedHeaders } from '../../../src/contract/headers.ts'
import { sealedBox } from '../../../src/kit/crypto/sealed-box.ts'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { openPool } from '../../../src/kit/database/pool.ts'
import { createLog } from '../../../src/kit/process/log.ts'
import { postgresAsyncRequests } from '../../../src/platform/gateway/adapters/async-requests.ts'
import type { AsyncRequests } from '../../../src/platform/gateway/domain/async-request.ts'
import { answerLater } from '../../../src/platform/gateway/flows/answer-later.ts'
import { postgresApiKeys } from '../../../src/platform/identity/adapters/api-keys.ts'
import { postgresTenancy } from '../../../src/platform/identity/adapters/tenancy.ts'
import { bootstrap } from '../../../src/platform/identity/flows/bootstrap.ts'
import { platformEvents } from '../../../src/platform/shared/domain/log-events.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createTestDatabase } from '../../support/processes/stores.ts'

const workspaces = ['acme', 'globex', 'hooli', 'initech', 'umbrella']
const keyring = { primary: 'test', keys: new Map([['test', new Secret(randomBytes(32))]]) }

const pool = openPool(await createTestDatabase('platform'))
const ports = { tenancy: postgresTenancy(pool), apiKeys: postgresApiKeys(pool) }
for (const workspace of workspaces) {
  await bootstrap(ports, { account: 'demo', workspace, email: `admin@${workspace}.example`, keyName: 'test' })
  await pool.query(
    `insert into resources (id, workspace, kind, name, display_name, labels, spec, search,
         created_at, updated_at, created_by, updated_by)
       values ($1, $1, 'agents', 'own', '', '{}', '{}', '', now(), now(), 'test', 'test')`,
    [workspace],
  )
}
const requests = postgresAsyncRequests(pool, sealedBox(keyring))
afterAll(() => pool.end())
beforeEach(async () => void (await pool.query('delete from async_requests')))

/** One process whose agents answer on demand. */
function processOf(replaced: Partial<AsyncRequests> = {}) {
  const held: Array<() => void> = []
  const events: string[] = []
  const later = answerLater({
    asyncRequests: { ...requests, ...replaced },
    openAgent: () => new Promise((_, reject) => held.push(() => reject(new Error('over')))),
    threadedCall: () => Promise.reject(new Error('not asked')),
    sendCallback: async () => {
      events.push('sent')
      return { taken: true }
    },
    noteCallback: async (_workspace, _agent, message) => void events.push(message),
    headers: brandedHeaders('Service'),
    usage: { record() {} } as never,
    log: createLog('test', 'silent', platformEvents),
    now: () => new Date(),
    pause: async () => {},
    maxMs: 1_000,
  })
  const letGo = () => {
    for (const end of held.splice(0)) end()
  }
  return { ...later, held, events, letGo }
}

const requestOf = (id: string, workspace = 'acme') => ({
  id,
  workspace,
  agent: 'own',
  agentId: workspace,
  isAnonymous: false,
  asked: new Secret({ method: 'POST', path: '/', headers: {}, body: '', thread: undefined, callback: undefined }),
})

const idsWhere = async (condition: string): Promise<string[]> => {
  const { rows } = await pool.query(`select id from async_requests where ${condition} order by id`)
  return rows.map(({ id }) => id)
}

const leasesEnd = () => pool.query(`update async_requests set due_at = now() - interval '1 second'`)

test('retries a request whose work failed, even while its process is busy', async () => {
  let failures = 0
  const process = processOf({
    async done(id, owner) {
      if (failures++ === 0) throw new Error('the database is away')
      return requests.done(id, owner)
    },
  })
  await process.accept(requestOf('failed'))
  process.letGo()
  await waitFor('its work failed', () => failures === 1)
  await process.accept(requestOf('busy'))
  await leasesEnd()

  await process.renew()
  const due = await idsWhere('due_at <= now()')
  await process.takeDue()
  process.letGo()

  expect(due).toEqual(['failed'])
  await waitFor('nothing is left to do', async () => (await idsWhere('true')).length === 0)
})

test('a burst uses only the free slots, and the rest waits', async () => {
  const process = processOf()
  const burst = Array.from({ length: 80 }, (_, at) => requestOf(`burst-${at}`, workspaces[at % workspaces.length]))

  await Promise.all(burst.map(process.accept))
  await waitFor('they are asked', () => process.held.length >= 64)

  expect(process.held).toHaveLength(64)
  expect(await idsWhere('owner is null')).toHaveLength(16)
})

test('rejects a request that could not be stored and frees its slot', async () => {
  const process = processOf({ add: () => Promise.reject(new Error('the database is away')) })

  await expect(process.accept(requestOf('lost'))).rejects.toThrow('away')
  await process.stop(0)

  expect(process.held).toHaveLength(0)
})

test('a workspace with a long queue leaves slots for others, whose requests come first', async () => {
  const process = processOf()
  const acme = Array.from({ length: 40 }, (_, at) => requestOf(`acme-${at}`))
  await Promise.all(acme.map(process.accept))
  await waitFor('its share is asked', () => process.held.length === 16)
  for (const workspace of ['globex', 'hooli']) await requests.add(requestOf(`${workspace}-waits`, workspace), undefined)
  const owned = await idsWhere("workspace = 'acme' and owner is not null")

  await process.takeDue()

  expect(owned).toHaveLength(16)
  expect(await idsWhere("workspace = 'acme' and owner is not null")).toEqual(owned)
  expect(await idsWhere("workspace <> 'acme' and owner is not null")).toEqual(['globex-waits', 'hooli-waits'])
})

test('with few slots, the first request of each workspace comes before the second of any', async () => {
  for (const id of ['acme-1', 'acme-2', 'acme-3']) await requests.add(requestOf(id), undefined)
  await requests.add(requestOf('globex-1', 'globex'), undefined)

  const claimed = await requests.claim('owner', { total: 2, taken: new Map(), suspects: 1 })

  expect(claimed.requests.map(({ id }) => id).sort()).toEqual(['acme-1', 'globex-1'])
})

test('rejects requests of a workspace at its limit, but not of others', async () => {
  await pool.query(
    `insert into async_requests (id, workspace, agent, agent_id, asked, claims, due_at)
     select 'waits-' || number, 'acme', 'own', 'acme', '', 0, now() + interval '1 hour'
     from generate_series(1, 1000) as number`,
  )
  const process = processOf()

  await expect(process.accept(requestOf('one-more'))).rejects.toMatchObject({
    code: 'too_many_requests',
    detail: '1000 asynchronous requests of this workspace are in progress, which is the maximum. Try again in 5 s.',
    retryAfterSeconds: 5,
  })
  await process.accept(requestOf('other', 'globex'))

  await waitFor('the other one is asked', () => process.held.length === 1)
  expect(await idsWhere("id = 'one-more'")).toEqual([])
})

test('anonymous requests take only some of the slots, and none of those of requests with a credential', async () => {
  const process = processOf()
  const anonymous = Array.from({ length: 20 }, (_, at) => ({ ...requestOf(`anonymous-${at}`), isAnonymous: true }))
  await Promise.all(anonymous.map(process.accept))
  await waitFor('their share is asked', () => process.held.length === 8)
  await pool.query(
    `insert into async_requests (id, workspace, agent, agent_id, is_anonymous, asked, claims, due_at)
     select 'waits-' || number, 'acme', 'own', 'acme', true, '', 0, now() + interval '1 hour'
     from generate_series(1, 180) as number`,
  )

  const refused = await process.accept({ ...requestOf('too-many'), isAnonymous: true }).catch(({ detail }) => detail)
  await process.accept(requestOf('own'))
  await process.takeDue()
  await waitFor('the own one is asked', () => process.held.length === 9)

  expect(refused).toContain('200 anonymous asynchronous requests of this workspace are in progress')
  expect(await idsWhere("owner is not null and id not like 'anonymous-%'")).toEqual(['own'])
})

test('S2: requests that crashed two processes run one at a time', async () => {
  for (const id of ['first', 'second']) await requests.add(requestOf(id), undefined)
  for (let lost = 0; lost < 2; lost++) {
    await requests.claim('lost', { total: 10, taken: new Map(), suspects: 1 })
    await leasesEnd()
  }
  await requests.add(requestOf('fresh'), undefined)
  const process = processOf()

  await process.takeDue()
  await process.takeDue()
  const asked = process.held.length
  process.letGo()
  await waitFor('both are over', async () => (await idsWhere('true')).length === 1)
  // The process counts a request as finished shortly after its row is deleted.
  await waitFor('the last one runs', async () => {
    await process.takeDue()
    return process.held.length === 1
  })

  expect(asked).toBe(2)
})

test('S2: gives up a delivery that keeps crashing processes, and adds an event to the agent', async () => {
  const callback = { url: 'https://receiver.example/', secret: undefined, attempts: 9, timeoutMs: 1_000 }
  const asked = new Secret({ ...requestOf('poison').asked.reveal(), callback })
  await requests.add({ ...requestOf('poison'), asked }, 'lost')
  await requests.answered('poison', 'lost', new Secret({ status: 200, text: 'fine', length: 4 }))
  for (let lost = 0; lost < 2; lost++) {
    await leasesEnd()
    await requests.claim('lost', { total: 10, taken: new Map(), suspects: 1 })
  }
  await leasesEnd()
  const process = processOf()

  await process.takeDue()
  await waitFor('it is over', async () => (await idsWhere('true')).length === 0)

  expect(process.events).toEqual([expect.stringContaining('every process that sent it was lost')])
})

test('keeps trigger fires for a day', async () => {
  const fires = [1, 2, 3].map((day) => ({ resourceId: 'acme', trigger: 0, firedFor: new Date(Date.UTC(2026, 0, day)) }))
  for (const [place, fire] of fires.entries()) await requests.addFired(fire, [requestOf(`fired-${place}`)])

  expect(await Promise.all(fires.map(requests.hasFired))).toEqual([false, true, true])
})
