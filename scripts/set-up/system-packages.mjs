import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findProgram, runQuietly } from './commands.mjs'
import { setUpFolder } from './folders.mjs'

/**
 * @typedef {object} SystemPackage
 * @property {string} apt package name
 * @property {string[]} brew package name
 * @property {() => string | undefined} find the program of the package
 */

/** Whether there is a known package manager that needs no password. */
export const canInstallSystemPackages = () => Boolean(process.platform === 'darwin' ? findProgram(['brew']) : aptGet())

/**
 * Whether the package manager has the package. Only Debian is checked.
 * @param {string} name
 */
export const isOffered = (name) =>
  process.platform === 'linux' && spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0

/** @param {SystemPackage} wanted */
export async function installSystemPackage(wanted) {
  for (const command of commandsFor(wanted)) await runQuietly(command, join(setUpFolder, `${wanted.apt}.log`))
  if (!wanted.find()) throw new Error('The package was installed, and yet its program is not on the PATH.')
}

/**
 * @param {SystemPackage} wanted
 * @returns {import('./commands.mjs').Command[]}
 */
function commandsFor({ apt, brew }) {
  const debian = aptGet()
  if (!debian) return [['brew', 'install', ...brew]]
  return [
    [...debian, 'update'],
    [...debian, 'install', '--no-install-recommends', apt],
  ]
}

/** @returns {import('./commands.mjs').Command | undefined} */
function aptGet() {
  if (process.platform !== 'linux' || !findProgram(['apt-get'])) return undefined
  const quiet = /** @type {const} */ (['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-y', '-q'])
  if (process.getuid?.() === 0) return [...quiet]
  const sudo = findProgram(['sudo'])
  const asks = !sudo || spawnSync(sudo, ['-n', 'true'], { stdio: 'ignore' }).status !== 0
  return asks ? undefined : [sudo, '-n', ...quiet]
}
