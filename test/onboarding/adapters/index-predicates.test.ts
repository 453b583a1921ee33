// The predicate of an index has to be literal; the words in it are those of the domain.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startsAgainFrom } from '../../../src/onboarding/domain/connect-session.ts'
import { connectionStatuses } from '../../../src/onboarding/domain/connection.ts'
import { rowStates } from '../../../src/onboarding/domain/imports/import.ts'
import { backlogStates, linkStates } from '../../../src/onboarding/domain/link.ts'
import { tenantStatuses } from '../../../src/onboarding/domain/tenant.ts'
import { deliveryStatuses } from '../../../src/onboarding/domain/webhooks/delivery.ts'
import { webhookStatuses } from '../../../src/onboarding/domain/webhooks/webhook.ts'
import { type LedgerWorld, openLedger } from '../../support/worlds/ledger.ts'

let ledger: LedgerWorld
/** The words in the predicate of each partial index. */
let words: Map<string, string[]>

beforeAll(async () => {
  ledger = await openLedger()
  const { rows } = await ledger.pool.query<{ name: string; predicate: string }>(`
    select relname as name, pg_get_expr(indpred, indrelid) as predicate
    from pg_index join pg_class on pg_class.oid = indexrelid where indpred is not null and not relispartition`)
  words = new Map(
    rows.map(({ name, predicate }) => [name, [...predicate.matchAll(/'([^']*)'/g)].map(([, word = '']) => word)]),
  )
})
afterAll(() => ledger.close())

test.each([
  ['links_backlog', backlogStates],
  ['links_not_linked', ['needs_attention', ...startsAgainFrom]],
])('%s holds the states that the domain names', (name, states) => {
  expect(words.get(name)?.toSorted()).toEqual(states.toSorted())
})

test('no index predicate contains an unknown state', () => {
  const statuses = [linkStates, connectionStatuses, tenantStatuses, webhookStatuses, deliveryStatuses, rowStates].flat()
  const unknown = [...words].flatMap(([name, found]) =>
    found.filter((word) => !(statuses as string[]).includes(word)).map((word) => `${name}: ${word}`),
  )

  expect(unknown.toSorted()).toEqual([
    'audit_by_session: browser',
    'audit_by_session: connect_session',
    'audit_by_session: manage_session',
    // The flag of a traceparent that says that the trace was recorded.
    'links_by_trace: 01',
    'newest_sessions_by_email: email',
    'outbox_by_end_user: endUser',
  ])
})
