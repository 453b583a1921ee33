import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Migration, migrate } from '../../src/kit/database/migrations.ts'
import { readVersion } from '../../src/kit/installed/installed-root.ts'
import { migrations } from '../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { startStopwatch } from '../support/oracles/stopwatch.ts'
import { startOnboarding } from '../support/worlds/onboarding-world.ts'

const next: Migration = {
  name: '9000-link-notes',
  sql: 'alter table links add column note text',
  readableFrom: readVersion(),
}

/** The limit of a migration's wait for a lock, and what a request takes without one. */
const [lockWaitMs, usualMs] = [2_000, 500]

test('a migration beside an open backup of the links delays no request beyond its limit', async () => {
  const world = await startOnboarding()
  const backup = new pg.Client({ connectionString: world.env.DATABASE_URL, application_name: 'pg_dump' })
  await backup.connect()
  onTestFinished(async () => {
    await backup.end()
    await world.close()
  })
  await backup.query('begin; lock table links in access share mode')
  const sentences: string[] = []

  const watch = await startStopwatch(() => fetch(`${world.url}/healthz`))

  const migrated = migrate(world.sql, [...migrations, next], { onWait: (sentence) => void sentences.push(sentence) })
  const answers: Array<{ status: number; ms: number }> = []
  while (sentences.length < 4) {
    const { url } = await world.mint()
    const asks = [() => new HttpBrowser().post(url), () => world.api('GET', '/links?tenantId=acme')]
    const timed = await Promise.all(asks.map((ask) => watch.time<{ status: number }>(ask)))
    answers.push(...timed.map(({ answer: { status }, ms }) => ({ status, ms })))
  }
  await backup.query('commit')
  await watch.stop()

  expect(await migrated).toEqual(['9000-link-notes'])
  expect(answers.filter(({ status }) => status >= 400)).toEqual([])
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(lockWaitMs + usualMs)
  expect(sentences[0]).toContain('waits for a lock of process')
  expect(sentences[0]).toContain('application_name pg_dump')
})

test('a process of the previous release starts on the schema of the next one, and links an account', async () => {
  const world = await startOnboarding()
  onTestFinished(() => world.close())
  await migrate(world.sql, [...migrations, next])

  await world.restart({})
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  const link = await world.completeToTheEnd(minted, query)

  expect(link).toMatchObject({ status: 'linked' })
})
