// The rule of CONTRIBUTING.md, Migrations: a step that the release before it cannot use says so.
import { expect, onTestFinished, test } from 'vitest'
import { compareReleases, type Migration, migrate } from '../../src/kit/database/migrations.ts'
import { openPool } from '../../src/kit/database/pool.ts'
import { migrations as onboarding } from '../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { migrations as platform } from '../../src/platform/shared/postgres/migrations.ts'
import { createTestDatabase } from '../support/processes/stores.ts'

const firstRelease = '0.3.0'
const things: Migration = {
  name: '0001',
  readableFrom: firstRelease,
  sql: "create table things (id integer primary key, name text, state text check (state in ('a', 'b')))",
}

/** They narrow columns or tables that the first release does not write, or numbers that a sequence does not reach. */
const isHarmless = new Set([
  '0005-connections-by-alias',
  '0008-audit-ids',
  '0008-audit-ids-valid',
  '0008-audit-partitions',
  '0010-tool-call-ids',
  '0010-tool-call-ids-valid',
  '0010-tool-call-partitions',
])

test.each([
  ['onboarding', onboarding],
  ['platform', platform],
])('steps of %s that remove or restrict something name the release that stopped using it', async (_program, steps) => {
  const wrong: string[] = []

  for (const { step, narrowed } of await narrowedBy(steps)) {
    const says = compareReleases(step.readableFrom, firstRelease) > 0 || isHarmless.has(step.name)
    if (narrowed.length > 0 && !says) wrong.push(`${step.name}: ${narrowed.join(', ')}`)
  }

  expect(wrong).toEqual([])
})

test.each([
  ['alter table things drop column name', ['things.name is missing']],
  ['alter table things rename name to title', ['things.name is missing']],
  ['alter table things alter column name type varchar(9)', ['things.name is now character varying']],
  ['alter table things alter column name set not null', ['things.name is now required']],
  ['alter table things add column owner text not null', ['things.owner is now required']],
  ['create unique index on things (name)', ['things has a new UNIQUE INDEX (name)']],
  [
    'alter table things drop constraint things_state_check',
    ["things lacks CHECK ((state = ANY (ARRAY['a'::text, 'b'::text])))"],
  ],
  ['drop table things', ['things is missing']],
  ['alter table things add column note text', []],
  ['alter table things add column at timestamptz not null default now()', []],
  ['create index on things (name)', []],
  ['create table more (id integer primary key, name text not null unique)', []],
])('the rule checks "%s"', async (sql, expected) => {
  const [judged] = await narrowedBy([things, { name: '0002', readableFrom: firstRelease, sql }])

  expect(judged?.narrowed).toEqual(expected)
})

/** Returns, for each step after the first, what the previous schema allowed and the new one does not. */
async function narrowedBy(steps: readonly Migration[]) {
  const pool = openPool(await createTestDatabase())
  onTestFinished(() => pool.end())
  const schemas: Array<Awaited<ReturnType<typeof readSchema>>> = []
  for (const at of steps.keys()) {
    await migrate(pool, steps.slice(0, at + 1))
    schemas.push(await readSchema(pool))
  }
  return steps.slice(1).map((step, at) => ({ step, narrowed: narrowings(schemas[at], schemas[at + 1]) }))
}

type Column = { type: string; isRequired: boolean }
type Table = { columns: Map<string, Column>; rules: Set<string> }
type Schema = Map<string, Table>

async function readSchema(pool: ReturnType<typeof openPool>): Promise<Schema> {
  const { rows: columns } = await pool.query(`
    select table_name as table, column_name as name, data_type as type,
      is_nullable = 'NO' and column_default is null and is_identity = 'NO' as "isRequired"
    from information_schema.columns where table_schema = 'public'`)
  const { rows: rules } = await pool.query(`
    select conrelid::regclass::text as table, pg_get_constraintdef(oid) as rule from pg_constraint
    where connamespace = 'public'::regnamespace and conrelid <> 0 and contype <> 'n'
    union all
    select indrelid::regclass::text, 'UNIQUE INDEX ' || substring(pg_get_indexdef(indexrelid) from '\\(.*')
    from pg_index where indisunique and indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
      and not exists (select from pg_constraint where conindid = indexrelid)`)
  const schema: Schema = new Map(columns.map(({ table }) => [table, { columns: new Map(), rules: new Set() }]))
  for (const { table, name, type, isRequired } of columns) schema.get(table)?.columns.set(name, { type, isRequired })
  for (const { table, rule } of rules) schema.get(table)?.rules.add(rule)
  return schema
}

function narrowings(before: Schema = new Map(), after: Schema = new Map()): string[] {
  return [...before].flatMap(([table, old]) => {
    const now = after.get(table)
    return now ? tableNarrowings(table, old, now) : [`${table} is missing`]
  })
}

function tableNarrowings(table: string, old: Table, now: Table): string[] {
  const lost = [...old.columns.keys()]
    .filter((name) => !now.columns.has(name))
    .map((name) => `${table}.${name} is missing`)
  const changed = [...now.columns].flatMap(([name, { type, isRequired }]) => {
    const was = old.columns.get(name)
    if (was && was.type !== type) return [`${table}.${name} is now ${type}`]
    return isRequired && !was?.isRequired ? [`${table}.${name} is now required`] : []
  })
  // A table without a column has no rule for it either.
  if (lost.length > 0) return [...lost, ...changed]
  const rules = [
    ...[...old.rules].filter((rule) => !now.rules.has(rule)).map((rule) => `${table} lacks ${rule}`),
    ...[...now.rules].filter((rule) => !old.rules.has(rule)).map((rule) => `${table} has a new ${rule}`),
  ]
  return [...changed, ...rules]
}
