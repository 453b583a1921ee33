import { expect, test } from 'vitest'
import { shownStatus } from '../../../src/platform/jobs/http/execution-document.ts'

const stats = { total: 3, success: 0, failure: 0, cancelled: 0, running: 0, retried: 0 }

test.each([
  ['queued', 'queued', {}],
  ['running', 'running', { running: 1, success: 1 }],
  ['running', 'pending', { success: 1 }],
  ['running', 'pending', { retried: 1 }],
  ['running', 'running', { success: 1, failure: 1, cancelled: 1 }],
  ['cancelling', 'cancelling', { success: 1 }],
  ['succeeded', 'succeeded', { success: 3 }],
] as const)('an execution that is %s is shown as %s with %j', (status, expected, some) => {
  expect(shownStatus({ status, stats: { ...stats, ...some } })).toBe(expected)
})
