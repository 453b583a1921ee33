// The predicate of an index has to be literal; the words in it are those of the domain.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { executionStatuses } from '../../../src/contract/control-plane/execution.ts'
import { deploymentStatuses } from '../../../src/contract/resource.ts'
import { openPool } from '../../../src/kit/database/pool.ts'
import { statusesInMotion } from '../../../src/platform/control-plane/domain/deployment.ts'
import { kinds } from '../../../src/platform/control-plane/kinds/catalogue.ts'
import { openStatuses, taskStates } from '../../../src/platform/jobs/domain/execution.ts'
import { createTestDatabase } from '../../support/processes/stores.ts'

let pool: ReturnType<typeof openPool>
/** The words in the predicate of each partial index. */
let words: Map<string, string[]>

beforeAll(async () => {
  pool = openPool(await createTestDatabase('platform'), { connections: 1 })
  const { rows } = await pool.query<{ name: string; predicate: string }>(`
    select relname as name, pg_get_expr(indpred, indrelid) as predicate
    from pg_index join pg_class on pg_class.oid = indexrelid where indpred is not null`)
  words = new Map(
    rows.map(({ name, predicate }) => [name, [...predicate.matchAll(/'([^']*)'/g)].map(([, word = '']) => word)]),
  )
})
afterAll(() => pool.end())

test.each([
  ['executions_open', openStatuses],
  ['resources_in_motion', [...statusesInMotion, 'DELETING']],
])('%s contains the statuses that the domain lists', (name, statuses) => {
  expect(words.get(name)?.toSorted()).toEqual(statuses.toSorted())
})

test('no index predicate contains an unknown status', () => {
  const known: string[] = [executionStatuses, taskStates, deploymentStatuses, kinds.map(({ name }) => name)].flat()
  const unknown = [...words].flatMap(([name, found]) =>
    found.filter((word) => !known.includes(word)).map((word) => `${name}: ${word}`),
  )

  expect(unknown).toEqual([
    'resources_with_cron: {"triggers": [{"type": "cron", "enabled": true}]}',
    'preview_label_once: pv-%',
  ])
})
