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

const list = async (path: string): Promise<Array<Record<string, string>>> => {
  const { causewayKey } = JSON.parse(readFileSync(join(folder, 'first-data.json'), 'utf8'))
  const headers = { Authorization: `Bearer ${causewayKey}` }
  const answer = await fetch(`${demo.places.causeway}/api/v1${path}`, { headers })
  return ((await answer.json()) as { data: Array<Record<string, string>> }).data
}

test('the history is complete', () => {
  expect(demo.output()).toContain('Sample history added.')
})

test('links ended in different ways, on two weeks of days', async () => {
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

  expect(campaign?.counts).toMatchObject({ linked: 2, open: 2 })
})
