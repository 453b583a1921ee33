import express from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import type { StoreState } from '../../../src/kit/database/store-probes.ts'
import { type Dependencies, healthRoutes } from '../../../src/platform/shared/http/health.ts'

const engine = { kind: 'bubblewrap' as const, problem: async () => undefined }

const askedOf = (...[dependencies, asked = engine]: [Dependencies, Parameters<typeof healthRoutes>[1]?]) =>
  request(express().use(healthRoutes(dependencies, asked, () => {}))).get('/readyz')

const probed = (answers: { database: StoreState; redis?: StoreState }) =>
  askedOf(Object.fromEntries(Object.entries(answers).map(([name, state]) => [name, async () => state])))

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

    expect([answer.status, answer.body]).toEqual([status, { ...body, engine: { kind: 'bubblewrap', status: 'ok' } }])
  },
)

test('a hanging database counts as unreachable', async () => {
  const hanging = { database: () => new Promise<StoreState>(() => {}) }

  const answer = await askedOf(hanging)

  expect(answer.status).toBe(503)
  expect(answer.body.dependencies).toEqual({ database: 'unreachable' })
})

test.each([
  [async () => 'It is not installed.', 'unavailable'],
  [() => new Promise<undefined>(() => {}), 'unreachable'],
  [() => Promise.reject(new Error('a bug')), 'unreachable'],
])('without its engine (%o), the platform stays ready and reports it as %s', async (problem, status) => {
  const answer = await askedOf({ database: async () => 'ready' }, { kind: 'bubblewrap', problem })

  expect([answer.status, answer.body]).toEqual([
    200,
    { status: 'ok', dependencies: { database: 'ok' }, engine: { kind: 'bubblewrap', status } },
  ])
})
