import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compareReleases, stepDigest } from '../../src/kit/database/migrations.ts'
import { migrations as onboarding } from '../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { migrations as platform } from '../../src/platform/shared/postgres/migrations.ts'
import { readDocument } from './documents.ts'

const programs = [
  ['onboarding', onboarding, 'onboarding/adapters/postgres/migrations/migrations.lock.json'],
  ['platform', platform, 'platform/shared/postgres/migrations/migrations.lock.json'],
] as const

test.each(programs)('the migrations of %s match their lock file (npm run migrations:lock adds new ones)', (...of) => {
  const [, steps, file] = of
  const lock = JSON.parse(readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8'))

  expect(steps.map((step) => [step.name, stepDigest(step)])).toEqual(Object.entries(lock))
})

test.each(programs)('the migrations of %s are applied once, in the order of their names', (_program, steps) => {
  const names = steps.map(({ name }) => name)

  expect(names).toEqual([...new Set(names)].sort())
})

test.each(programs)('an existing release can read every migration of %s', (_program, steps) => {
  const [, newest = ''] = /^## \[(\d[^\]]*)\]/m.exec(readDocument('CHANGELOG.md')) ?? []
  const isUnreleased = (release: string) => compareReleases(release, newest) > 0

  expect(steps.filter(({ readableFrom }) => isUnreleased(readableFrom))).toEqual([])
})
