import express from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import { health, type Readiness } from '../../../src/onboarding/http/health.ts'

const warning = 'An address of the integration crm is not called.'

const parts: Readiness = {
  redis: async () => 'ready',
  database: async () => 'ready',
  platform: async () => ({ ready: true, state: 'ready', warnings: [] }),
  integrations: async () => ({ ready: true, state: 'ready', warnings: [warning] }),
}

const ask = (given: Partial<Readiness> = {}) =>
  request(
    express().use(
      health(
        { ...parts, ...given },
        () => undefined,
        () => {},
      ),
    ),
  ).get('/readyz')

test('warns of settings that affect users without making the service unready', async () => {
  const { status, body } = await ask()

  expect([status, body]).toEqual([
    200,
    { status: 'ready', parts: { redis: 'ready', database: 'ready', platform: 'ready' }, warnings: [warning] },
  ])
})

test('an unavailable platform does not hide the warnings', async () => {
  const { status, body } = await ask({ platform: async () => 'not answering' })

  expect([status, body.parts.platform, body.warnings]).toEqual([200, 'not answering', [warning]])
})
