import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withLock } from '../../scripts/set-up/lock.mjs'
import { temporaryFolder } from '../support/processes/stores.ts'

const nobodyWaits = () => {}

test('one of five concurrent processes holds the lock at a time', async () => {
  const lock = join(temporaryFolder(), 'lock')
  let working = 0
  const seen: number[] = []
  const work = async () => {
    seen.push(++working)
    await new Promise((resolve) => setImmediate(resolve))
    working--
  }

  await Promise.all([1, 2, 3, 4, 5].map(() => withLock(lock, nobodyWaits, work)))

  expect(seen).toEqual([1, 1, 1, 1, 1])
  expect(existsSync(lock)).toBe(false)
})

test('the lock is released when the work fails', async () => {
  const lock = join(temporaryFolder(), 'lock')

  await expect(withLock(lock, nobodyWaits, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')

  expect(existsSync(lock)).toBe(false)
})

test('a lock of a killed process is taken over', async () => {
  const lock = lockedBy(spawnSync('true').pid)

  const answer = await withLock(lock, nobodyWaits, async () => 'mine')

  expect(answer).toBe('mine')
})

test('a stale lock is taken over even if its PID was reused', async () => {
  const lock = lockedBy(process.pid)
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(lock, longAgo, longAgo)

  const answer = await withLock(lock, nobodyWaits, async () => 'mine')

  expect(answer).toBe('mine')
})

function lockedBy(pid: number): string {
  const lock = join(temporaryFolder(), 'lock')
  mkdirSync(lock)
  writeFileSync(join(lock, 'holder'), String(pid))
  return lock
}
