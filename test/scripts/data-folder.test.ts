import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDataFolder } from '../../scripts/data-folder.mjs'
import { startPostgres } from '../../src/kit/embedded/postgres.ts'
import { startTestRedis, temporaryFolder } from '../support/processes/stores.ts'

test('does not delete data that a private Redis is using', async () => {
  const folder = temporaryFolder()
  const redis = await startTestRedis({ folder: join(folder, 'redis') })

  const running = await emptyDataFolder(folder)
  await redis.stop()
  const ended = await emptyDataFolder(folder)

  expect([running, ended]).toEqual(['in use', 'emptied'])
  expect(readdirSync(folder)).toEqual([])
})

test('does not delete data that a private PostgreSQL is using', async () => {
  const folder = temporaryFolder()
  const postgres = await startPostgres({ folder: join(folder, 'postgres') })

  const running = await emptyDataFolder(folder)
  await postgres.stop()
  const ended = await emptyDataFolder(folder)

  expect([running, ended]).toEqual(['in use', 'emptied'])
  expect(readdirSync(folder)).toEqual([])
})

test('keeps the named entry', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'set-up'))
  writeFileSync(join(folder, 'uploads'), '')

  await emptyDataFolder(folder, 'set-up')

  expect(existsSync(join(folder, 'set-up'))).toBe(true)
  expect(existsSync(join(folder, 'uploads'))).toBe(false)
})
