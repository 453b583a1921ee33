import { describe, expect, test } from 'vitest'
import { checkedNotice } from '../../../../src/onboarding/console/http/locals/connection.ts'
import { historyRows } from '../../../../src/onboarding/console/http/locals/history.ts'
import { timelineLocals } from '../../../../src/onboarding/console/http/locals/timeline.ts'
import type { HealthCheck } from '../../../../src/onboarding/domain/health/health.ts'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import type { LinkTimeline } from '../../../../src/onboarding/domain/ports/support-ledger.ts'
import { auditLine } from '../flows/support-ledger.ts'

const now = new Date('2026-11-18T12:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

const link = {
  id: 'lnk_1',
  kind: 'first',
  state: 'linked',
  endUser: { id: 'dispatch-lead' },
  createdAt: daysAgo(10),
  missingScopes: [],
  attempts: 0,
} as unknown as Link

const check = (days: number, outcome: HealthCheck['outcome'], cause?: HealthCheck['cause']): HealthCheck => ({
  id: days,
  connectionId: 'con_1',
  at: daysAgo(days),
  outcome,
  cause,
  detail: undefined,
  durationMs: 40,
  actorKind: 'worker',
})

const line = (days: number, more: object) => ({ ...auditLine(1, more), at: daysAgo(days) })

describe('shows one part even if the other does not respond', () => {
  test('is one list from the link over its break to the reconnect, newest first', () => {
    const linked = line(10, { action: 'link.linked', facts: {} })
    const opened = line(2, { action: 'link.started', facts: { client: 'shared' } })
    const relinked = line(1, { action: 'link.linked', facts: {} })

    const rows = historyRows(
      {
        timelines: [
          { link: { ...link, kind: 'relink', state: 'linked' }, entries: [opened, relinked] },
          { link: { ...link, kind: 'first', state: 'linked' }, entries: [linked] },
        ],
        health: [check(4, 'broken', 'grant_revoked'), ...[5, 6, 7, 8].map((days) => check(days, 'healthy'))],
        audit: [
          line(3, { action: 'relink.minted', facts: { allowOtherAccount: false }, reason: 'ticket 17' }),
          line(4, { action: 'connection.needs_relink', facts: { cause: 'grant_revoked' } }),
        ],
      },
      now,
    )

    expect(rows.map(({ title }) => title)).toEqual([
      'Reconnected',
      'Reconnect link opened',
      'Reconnect link created',
      'Broken: Access was revoked',
      'Healthy ×4',
      'Linked',
    ])
    expect(rows[2]?.reason).toBe('ticket 17')
  })

  test('shows a break that no check found', () => {
    const audit = [line(4, { action: 'connection.needs_relink', facts: { cause: 'grant_revoked' } })]

    const rows = historyRows({ timelines: [], health: [check(6, 'healthy')], audit }, now)

    expect(rows.map(({ title, detail }) => [title, detail])).toEqual([
      ['Broken', 'Access was revoked'],
      ['Healthy', undefined],
    ])
  })
})

describe('shows when a token response was received, which has no entry', () => {
  const sent = line(4, { action: 'link.exchanging', facts: { following: 'callback' } })
  const labelsOf = (timeline: LinkTimeline) => timelineLocals(timeline, now).steps.map(({ label }) => label)
  const received = 'Token response received and sealed'

  test('from the entry behind it', () => {
    const linked = line(1, { action: 'link.linked', facts: { receivedAt: daysAgo(2).toISOString() } })

    expect(labelsOf({ link, entries: [sent, linked] }).slice(1)).toEqual([received, 'Linked'])
  })

  test('from the link, as long as no entry has it', () => {
    const waits = { ...link, state: 'escrowed' as const, receivedAt: daysAgo(2) }
    const resumed = line(1, { action: 'link.resumed', facts: { from: 'escrowed' } })

    expect(labelsOf({ link: waits, entries: [sent, resumed] }).slice(1)).toEqual([received, 'Resumed'])
  })
})

test('U79: a link that was cancelled on the connect page was not sent to the app', () => {
  const started = line(1, { action: 'link.started', facts: { client: 'shared' }, requestId: 'req_1' })
  const cancelled = (requestId: string) =>
    line(1, { action: 'link.cancelled', facts: { cause: 'user_cancelled' }, requestId })
  const first = (requestId: string) =>
    timelineLocals({ link, entries: [started, cancelled(requestId)] }, now).steps[0]?.label

  expect(first('req_1')).toBe('Opened by the user')
  expect(first('req_2')).toBe('Opened and sent to the app for consent')
})

test.each([
  ['healthy', undefined, 'Checked: works', 'The app accepted a test call.'],
  ['broken', 'grant_revoked', 'Checked: broken', 'Access was revoked. The app no longer accepts'],
  ['unclear', 'provider_unavailable', 'Checked: unclear', 'The app is not responding. The app may be down'],
] as const)('the notice explains a check that is %s', (outcome, cause, title, text) => {
  const notice = checkedNotice({ outcome, cause })

  expect(notice.doneTitle).toBe(title)
  expect(notice.done).toContain(text)
})
