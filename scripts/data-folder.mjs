import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { isAlive } from './set-up/lock.mjs'

/** Holds a private PostgreSQL whose account can't enter the checkout; the data folder links to it. */
const standIns = '/var/lib/causeway/'

/**
 * Removes the data of the demo, unless servers use it.
 * @param {string} folder
 * @param {string} [kept] an entry to keep
 * @returns {Promise<'emptied' | 'in use'>}
 */
export async function emptyDataFolder(folder, kept) {
  const files = listFiles(folder)
  for (const file of files) if (await isInUse(file)) return 'in use'
  for (const file of files.filter(isStandIn)) rmSync(readlinkSync(file), { recursive: true, force: true })
  const names = readdirSync(folder).filter((name) => name !== kept)
  for (const name of names) rmSync(join(folder, name), { recursive: true, force: true })
  return 'emptied'
}

/**
 * Lists all files, also behind a link to a stand-in folder.
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return listFiles(path)
    return isStandIn(path) ? [path, ...listFiles(readlinkSync(path))] : [path]
  })
}

/** @param {string} path */
function isStandIn(path) {
  return lstatSync(path).isSymbolicLink() && readlinkSync(path).startsWith(standIns)
}

/** @param {string} file */
async function isInUse(file) {
  if (basename(file) === 'postmaster.pid') return isAlive(Number.parseInt(readFileSync(file, 'utf8'), 10))
  if (basename(file) === 'redis.conf') return isServed(readFileSync(file, 'utf8'))
  return false
}

/**
 * Whether the Redis of these settings runs. Another server may have the port by now, but not the password.
 * @param {string} settings
 * @returns {Promise<boolean>}
 */
function isServed(settings) {
  const [, port] = /^port (\d+)$/m.exec(settings) ?? []
  const [, password] = /^requirepass (\S+)$/m.exec(settings) ?? []
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' }, () => socket.write(`AUTH ${password}\r\n`))
    // Long enough for our Redis on a busy machine, whose data must not be removed.
    socket.setTimeout(5_000, () => socket.destroy())
    socket.on('error', () => {}) // followed by close
    socket.once('close', () => resolve(false))
    socket.once('data', (answer) => {
      resolve(String(answer).startsWith('+OK'))
      socket.destroy()
    })
  })
}
