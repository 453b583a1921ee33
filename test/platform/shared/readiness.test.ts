import express from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import type { StoreState } from '../../../src/kit/database/store-probes.ts'
import { healthRoutes } from '../../../src/platform/shared/http/health.ts'

const probed = (answers: { database: StoreState; redis?: StoreState }) => {
  const dependencies = Object.entries(answers).map(([name, state]) => [name, async () => state])
  return request(express().use(healthRoutes(Object.fromEntries(dependencies), () => {}))).get('/readyz')
}

test.each([
  [{ database: 'ready' }, 200, { status: 'ok', dependencies: { database: 'ok' } }],
  [{ database: 'ready', redis: 'ready' }, 200, { status: 'ok', dependencies: { database: 'ok', redis: 'ok' } }],
  [
    { database: 'ready', redis: 'not answering' },
    200,
    { status: 'ok', dependencies: { database: 'ok', redis: 'unreachable' } },
  ],
  [{ database: 'ready', redis: 'full' }, 200, { status: 'ok', dependencies: { database: 'ok', redis: 'full' } }],
  [{ database: 'read-only' }, 200, { status: 'ok', dependencies: { database: 'read-only' } }],
  [
    { database: 'not answering', redis: 'ready' },
    503,
    { status: 'unavailable', dependencies: { database: 'unreachable', redis: 'ok' } },
  ],
] as const)(
  'with %j, readiness is %i: a missing Redis or a read-only database is reported and keeps the platform ready',
  async (answers, status, body) => {
    const answer = await probed(answers)

    expect([answer.status, answer.body]).toEqual([status, body])
  },
)

test('a hanging database counts as unreachable', async () => {
  const hanging = { database: () => new Promise<StoreState>(() => {}) }

  const answer = await request(express().use(healthRoutes(hanging, () => {}))).get('/readyz')

  expect(answer.status).toBe(503)
  expect(answer.body.dependencies).toEqual({ database: 'unreachable' })
})
