import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, runQuietly } from './commands.mjs'
import { root, setUpFolder } from './folders.mjs'

/** @typedef {{ version?: string, integrity?: string, dev?: boolean, optional?: boolean, devOptional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} Package */

/** npm writes down last what it installed, so a folder it could not finish never agrees with the lock file. */
export function dependenciesAreCurrent() {
  const wanted = readPackages('package-lock.json')
  const present = readPackages('node_modules/.package-lock.json')
  const required = [...wanted].filter(([name, entry]) => name !== '' && belongsHere(entry))
  const hasAll = required.every(([name, { integrity }]) => present.get(name)?.integrity === integrity)
  return hasAll && [...present.keys()].every((name) => wanted.has(name))
}

/**
 * Whether the tools to build were left out on purpose (`npm prune --omit=dev`), and all else is there: an installation.
 * What runs from it must not have its packages exchanged because somebody asks for a command.
 */
export function dependenciesArePruned() {
  const wanted = [...readPackages('package-lock.json')].filter(([name, entry]) => name !== '' && belongsHere(entry))
  const present = readPackages('node_modules/.package-lock.json')
  const tools = wanted.filter(([, { dev }]) => dev)
  const needed = wanted.filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional)
  const hasNeeded = needed.every(([name, { integrity }]) => present.get(name)?.integrity === integrity)
  return present.size > 0 && hasNeeded && !tools.some(([name]) => present.has(name))
}

/**
 * Exactly the lock file, with the tools to build even where NODE_ENV says production. Packages run no code of
 * theirs while they are installed: none of ours needs it.
 */
export const installDependencies = () =>
  runQuietly(
    npm('ci', '--prefer-offline', '--include=dev', '--include=optional', '--ignore-scripts'),
    join(setUpFolder, 'dependencies.log'),
  )

/**
 * @param {string} file
 * @returns {Map<string, Package>}
 */
function readPackages(file) {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(join(root, file), 'utf8')).packages))
  } catch {
    return new Map()
  }
}

/**
 * Optional packages are binaries per machine. Those that also ask for a kind of C library, or for no kind of machine
 * (what a binary for another machine needs), are left to npm's judgement.
 * @param {Package} entry
 */
function belongsHere({ optional, os, cpu, libc }) {
  if (!optional) return true
  if (libc || (!os && !cpu)) return false
  return (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch))
}
