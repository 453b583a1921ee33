import { beforeEach, expect, test } from 'vitest'
import { idsSince } from '../../../../src/onboarding/adapters/crypto/tokens.ts'
import { heedApprovals } from '../../../../src/onboarding/connections/flows/heed-approvals.ts'
import { readApprovals } from '../../../../src/onboarding/connections/flows/read-approvals.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import type { Approval } from '../../../../src/onboarding/domain/ports/connections.ts'
import { isAway } from '../../../support/memory/doubles.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let connection: Connection
let heed: () => Promise<number>
beforeEach(async () => {
  world = await openMemoryWorld()
  connection = await world.addConnection()
  heed = heedApprovals(world)
})

const note = (more: Partial<Approval> = {}) => {
  const { workspace, name: connectionName } = connection
  const now = world.now()
  world.approvals.noted = world.approvals.noted.filter(({ id }) => id !== (more.id ?? 'a'))
  world.approvals.noted.push({
    id: 'a',
    workspace,
    connectionName,
    tool: 'send_message',
    state: 'waiting',
    decision: undefined,
    decidedBy: undefined,
    caller: 'user@acme.example',
    createdAt: now,
    changedAt: now,
    expiresAt: new Date(now.getTime() + 3_600_000),
    url: 'https://auth.example/oauth/approval/a',
    ...more,
  })
}
const payloads = () => [...world.tables.outbox.values()].map(({ name, payload }) => [name, payload.outcome])

test('the tenant is told of a question and of its decision, once each', async () => {
  note()
  await heed()
  note({ state: 'allowed_once', decision: 'once' })
  await heed()
  note({ state: 'used', decision: 'once' })
  await heed()

  expect(payloads()).toEqual([
    ['connection.approval_requested', undefined],
    ['connection.approval_decided', 'once'],
  ])
})

test('another process does not tell it again', async () => {
  note({ state: 'declined', decision: 'decline' })
  await heed()

  await heedApprovals(world)()

  expect(payloads()).toEqual([
    ['connection.approval_requested', undefined],
    ['connection.approval_decided', 'decline'],
  ])
})

test('events of an approval sort by the time of its question, so they expire like others', async () => {
  note({ state: 'declined', decision: 'decline' })

  await heed()

  const begin = idsSince('evt', world.now())
  expect([...world.tables.outbox.keys()].map((id) => id.slice(0, begin.length))).toEqual([begin, begin])
})

test('a question that nobody decided is told as expired', async () => {
  note({ state: 'expired' })

  await heed()

  expect(payloads().at(-1)).toEqual(['connection.approval_decided', 'expired'])
})

test('tells nothing of connections of others, and waits while the platform is away', async () => {
  note({ connectionName: 'unknown' })
  const { since } = world.approvals
  world.approvals.since = isAway('platform_unavailable')
  const whileAway = await heed()
  world.approvals.since = since

  expect([whileAway, await heed(), payloads()]).toEqual([0, 1, []])
})

test('both are in the audit log of the connection', async () => {
  note({ state: 'allowed_for_an_hour', decision: 'hour' })

  await heed()

  const entries = world.tables.audit.map(({ entry }) => entry).filter((entry) => entry.action.includes('approval'))
  expect(entries.map(({ action, facts, connection: id }) => [action, facts, id])).toEqual([
    ['connection.approval_requested', { approval: 'a', tool: 'send_message' }, connection.id],
    ['connection.approval_decided', { approval: 'a', tool: 'send_message', outcome: 'hour' }, connection.id],
  ])
})

test('the list of a connection has the newest first', async () => {
  note({ id: 'old', createdAt: new Date(0) })
  note({ id: 'new' })
  note({ id: 'other', connectionName: 'unknown' })

  const found = await readApprovals(world, { connectionId: connection.id, tenant: undefined, testMode: undefined })

  expect(found.map(({ id }) => id)).toEqual(['new', 'old'])
})

test('the list of a connection in test mode is empty, and does not ask the platform', async () => {
  await world.addTenant('test_acme')
  const { id: connectionId } = await world.addConnection({ tenant: 'test_acme' })
  world.approvals.of = isAway('platform_unavailable')

  expect(await readApprovals(world, { connectionId, tenant: undefined, testMode: undefined })).toEqual([])
})
