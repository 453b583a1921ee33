import express from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import { exportReport } from '../../../src/onboarding/domain/audit/export-report.ts'
import { health, type Readiness } from '../../../src/onboarding/http/health.ts'

const warning = 'An address of the integration crm is not called.'

const parts: Readiness = {
  redis: async () => 'ready',
  database: async () => 'ready',
  platform: async () => ({ ready: true, state: 'ready', warnings: [] }),
  integrations: async () => ({ ready: true, state: 'ready', warnings: [warning] }),
  auditExport: async () => exportReport([]),
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

test('an audit export that is behind is a warning, without its reason, and the service stays ready', async () => {
  const states = [
    { destination: 'webhook', lagSeconds: 7_230, problem: 'unreachable (ECONNREFUSED)' },
    { destination: 'folder', lagSeconds: 70, problem: undefined },
  ]
  const { status, body } = await ask({ auditExport: async () => exportReport(states) })

  expect([status, body.parts.auditExport]).toEqual([200, undefined])
  expect(body.warnings).toEqual([
    warning,
    'The audit export to the destination webhook is 120 minutes behind. The log event audit.export_failed says why.',
  ])
})

test('figures of the export that cannot be read do not make the service unready', async () => {
  const { status } = await ask({ auditExport: () => new Promise(() => {}) })

  expect(status).toBe(200)
})
