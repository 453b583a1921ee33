import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Migration, migrate } from '../../src/kit/database/migrations.ts'
import { readVersion } from '../../src/kit/installed/installed-root.ts'
import { migrations } from '../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { startOnboarding } from '../support/worlds/onboarding-world.ts'

const next: Migration = {
  name: '9000-link-notes',
  sql: 'alter table links add column note text',
  readableFrom: readVersion(),
}

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

  const migrated = migrate(world.sql, [...migrations, next], { onWait: (sentence) => void sentences.push(sentence) })
  const statuses: number[] = []
  while (sentences.length < 2) {
    const started = new HttpBrowser().post((await world.mint()).url)
    const listed = world.api('GET', '/links?tenantId=acme')
    for (const { status } of await Promise.all([started, listed])) statuses.push(status)
  }
  await backup.query('commit')

  expect(await migrated).toEqual(['9000-link-notes'])
  expect(statuses.filter((status) => status >= 400)).toEqual([])
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
