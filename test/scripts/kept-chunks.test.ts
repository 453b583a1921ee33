import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keepChunks } from '../../scripts/set-up/build.mjs'
import { temporaryFolder } from '../support/processes/stores.ts'

test('a build keeps recent chunks for programs that are still running', () => {
  const folder = temporaryFolder()
  const [output, next] = [join(folder, 'dist'), join(folder, 'dist-next')]
  for (const each of [output, next]) mkdirSync(join(each, 'chunks'), { recursive: true })
  for (const name of ['same.js', 'recent.js', 'old.js']) writeFileSync(join(output, 'chunks', name), 'before')
  writeFileSync(join(next, 'chunks/same.js'), 'now')
  const twoDaysAgo = Date.now() / 1_000 - 2 * 86_400
  utimesSync(join(output, 'chunks/old.js'), twoDaysAgo, twoDaysAgo)

  keepChunks(output, next)

  expect(readdirSync(join(next, 'chunks')).sort()).toEqual(['recent.js', 'same.js'])
})

test('the first build keeps nothing', () => {
  const folder = temporaryFolder()

  expect(() => keepChunks(join(folder, 'dist'), join(folder, 'dist-next'))).not.toThrow()
})
