// `npm run reset`: the demo forgets everything and starts anew.
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { dataFolder, setUpFolder } from './set-up/folders.mjs'
import { isAlive, withLock } from './set-up/lock.mjs'
import { runScript } from './set-up/set-up.mjs'

/** Where a private PostgreSQL lives when the checkout is closed to its account; a link in the data folder leads there. */
const standIns = '/var/lib/causeway/'

await runScript(async () => {
  const waiting = () => console.log('Waiting for a set-up in this folder …')
  return withLock(join(setUpFolder, 'lock'), waiting, async () => {
    const files = listFiles(dataFolder)
    if (await isInUse(files)) {
      console.error('A demo runs on this data: end it with Ctrl-C, then try again.')
      return 1
    }
    for (const file of files.filter(isStandIn)) rmSync(readlinkSync(file), { recursive: true, force: true })
    for (const name of readdirSync(dataFolder)) {
      if (name !== basename(setUpFolder)) rmSync(join(dataFolder, name), { recursive: true, force: true })
    }
    console.log('The data folder is empty: the next start begins anew.')
    return 0
  })
})

/**
 * Every file, also those behind a link to a stand-in folder.
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return listFiles(path)
    return isStandIn(path) ? [path, ...listFiles(`${readlinkSync(path)}/`)] : [path]
  })
}

/** @param {string} path */
const isStandIn = (path) => lstatSync(path).isSymbolicLink() && readlinkSync(path).startsWith(standIns)

/** @param {string[]} files */
async function isInUse(files) {
  for (const file of files) {
    if (basename(file) === 'postmaster.pid' && isAlive(Number.parseInt(readFileSync(file, 'utf8'), 10))) return true
    if (basename(file) === 'redis.conf' && (await isServed(readFileSync(file, 'utf8')))) return true
  }
  return false
}

/**
 * Whether the server of these settings runs: its port may be another server's by now, its password is not.
 * @param {string} settings
 * @returns {Promise<boolean>}
 */
function isServed(settings) {
  const [, port] = /^port (\d+)$/m.exec(settings) ?? []
  const [, password] = /^requirepass (\S+)$/m.exec(settings) ?? []
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' }, () => socket.write(`AUTH ${password}\r\n`))
    socket.once('data', (answer) => resolve(String(answer).startsWith('+OK')))
    socket.once('error', () => resolve(false)).once('close', () => resolve(false))
    socket.setTimeout(1_000, () => socket.destroy())
    socket.once('data', () => socket.destroy())
  })
}
