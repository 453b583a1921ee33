import express from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import { healthRoutes } from '../../../src/platform/shared/http/health.ts'

const probed = (answers: { database: boolean; redis?: boolean }) => {
  const dependencies = Object.entries(answers).map(([name, isUp]) => [name, async () => isUp])
  return request(express().use(healthRoutes(Object.fromEntries(dependencies), () => {}))).get('/readyz')
}

test.each([
  [{ database: true }, 200, { status: 'ok', dependencies: { database: 'ok' } }],
  [{ database: true, redis: true }, 200, { status: 'ok', dependencies: { database: 'ok', redis: 'ok' } }],
  [{ database: true, redis: false }, 200, { status: 'ok', dependencies: { database: 'ok', redis: 'unreachable' } }],
  [
    { database: false, redis: true },
    503,
    { status: 'unavailable', dependencies: { database: 'unreachable', redis: 'ok' } },
  ],
])('with %j, readiness is %i: a Redis that is away is told, and turns nobody away', async (answers, status, body) => {
  const answer = await probed(answers)

  expect([answer.status, answer.body]).toEqual([status, body])
})

test('a database that hangs is away: the probe is answered all the same', async () => {
  const hanging = { database: () => new Promise<boolean>(() => {}) }

  const answer = await request(express().use(healthRoutes(hanging, () => {}))).get('/readyz')

  expect(answer.status).toBe(503)
  expect(answer.body.dependencies).toEqual({ database: 'unreachable' })
})
