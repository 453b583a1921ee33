import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const beatMs = 1_000
const silenceMs = 15_000

/**
 * Runs one set-up at a time in a checkout. The lock is a folder, because creating one is atomic everywhere. Its holder
 * touches it every second, so that the lock of a killed process is noticed even if its pid was reused.
 * @template T
 * @param {string} folder
 * @param {() => void} onWait called once if another process holds the lock
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(folder, onWait, work) {
  for (let waited = false; !take(folder); waited = true) {
    if (!waited) onWait()
    await wait(100 + Math.random() * 100)
    if (isAbandoned(folder)) remove(folder)
  }
  const beat = setInterval(() => touch(folder), beatMs)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    remove(folder)
  }
}

/** @param {string} folder */
function take(folder) {
  mkdirSync(dirname(folder), { recursive: true })
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, 'holder'), String(process.pid))
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  }
}

/** @param {string} folder */
function isAbandoned(folder) {
  try {
    if (Date.now() - statSync(folder).mtimeMs > silenceMs) return true
    const holder = Number(readFileSync(join(folder, 'holder'), 'utf8'))
    return holder > 0 && !isAlive(holder)
  } catch {
    return false // released, or just being taken
  }
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}

/** @param {string} folder */
function touch(folder) {
  try {
    utimesSync(folder, new Date(), new Date())
  } catch {
    // removed by hand
  }
}

/**
 * Renames first, so that one of several waiters removes it at once.
 * @param {string} folder
 */
function remove(folder) {
  const aside = `${folder}.${process.pid}`
  try {
    renameSync(folder, aside)
  } catch {
    return
  }
  rmSync(aside, { recursive: true, force: true })
}
