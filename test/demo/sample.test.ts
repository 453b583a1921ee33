// `npm start -- --sample`: history made by calling the API.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runDemo } from '../journeys/running-demo.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { temporaryFolder } from '../support/processes/stores.ts'

const folder = temporaryFolder()

const demo = await runDemo({ DEMO_DATA_DIR: folder, CAUSEWAY_STORE: 'in-process' }, { args: ['--sample'] })
await waitFor('the sample is complete', () => /Sample history (added|is incomplete)/.test(demo.output()), {
  withinMs: 120_000,
})
afterAll(() => demo?.stop())

const call = (path: string, init: { method: string; body?: string } = { method: 'GET' }): Promise<Response> => {
  const { causewayKey } = JSON.parse(readFileSync(join(folder, 'first-data.json'), 'utf8'))
  const headers = { Authorization: `Bearer ${causewayKey}`, 'Content-Type': 'application/json' }
  return fetch(`${demo.places.causeway}/api/v1${path}`, { ...init, headers })
}

const list = async (path: string): Promise<Array<Record<string, string>>> =>
  ((await (await call(path)).json()) as { data: Array<Record<string, string>> }).data

const post = async (path: string, body: object): Promise<number> =>
  (await call(path, { method: 'POST', body: JSON.stringify(body) })).status

test('the sample history is complete', () => {
  expect(demo.output()).toContain('Sample history added.')
})

test('links ended in different ways over two weeks', async () => {
  const links = await list('/links?limit=100')
  const statuses = new Set(links.map(({ status }) => status))
  const days = new Set(links.map(({ createdAt }) => createdAt?.slice(0, 10)))

  expect([...statuses]).toEqual(expect.arrayContaining(['linked', 'failed', 'denied', 'needs_attention', 'pending']))
  expect(days.size).toBeGreaterThanOrEqual(14)
})

test('connections work, are broken or are disconnected', async () => {
  const connections = await list('/connections?limit=100')

  expect(new Set(connections.map(({ status }) => status))).toEqual(new Set(['active', 'needs_relink', 'disconnected']))
})

test('a campaign has reconnected some of the broken connections', async () => {
  const [campaign] = await list('/campaigns')

  expect(campaign?.counts).toMatchObject({ linked: 2, open: 1 })
})

test('people have role names and the email address of their tenant', async () => {
  const connections = await list('/connections?limit=100')

  const accounts = connections.map(({ upstreamAccount }) => (upstreamAccount as unknown as { label: string }).label)
  expect(accounts).toContain('dispatch-lead@sample-freight.example')
  expect(accounts.filter((label) => /\d/.test(label))).toEqual([])
})

test('every connection that waits for its user can get a reconnect link', async () => {
  const broken = await list('/connections?status=needs_relink&limit=100')
  const waiting = broken.filter(({ cause }) => (cause as unknown as { whoseMove: string }).whoseMove === 'user')

  const minted = await Promise.all(
    waiting.map(({ id }) => post(`/connections/${id}/relink-sessions`, { reason: 'ticket 17' })),
  )

  expect(minted.length).toBeGreaterThan(3)
  expect(minted.filter((status) => status !== 201)).toEqual([])
})

test('a campaign can be started for the connections outside any campaign', async () => {
  const campaign = { causeCode: 'grant_revoked', integrationId: 'sample-mail', reason: 'Users changed passwords' }

  expect(await post('/campaigns', campaign)).toBe(201)
})
