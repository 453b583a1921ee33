import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, runQuietly } from './commands.mjs'
import { root, setUpFolder } from './folders.mjs'

/** @typedef {{ integrity?: string, dev?: boolean, optional?: boolean, devOptional?: boolean, os?: string[], cpu?: string[], libc?: string[], dependencies?: object, devDependencies?: object, optionalDependencies?: object }} Package */

/** Whether all packages of the lock file are installed, including those of the workspaces. */
export const dependenciesAreCurrent = () => areInstalled((wanted) => [...wanted.keys()].filter((name) => name !== ''))

/** Whether the packages that the programs run and are built with are installed. npm installs each with its own dependencies. */
export const programDependenciesAreCurrent = () =>
  areInstalled((wanted) => {
    const { dependencies, devDependencies, optionalDependencies } = wanted.get('') ?? {}
    const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    return names.map((name) => `node_modules/${name}`)
  })

/**
 * npm writes node_modules/.package-lock.json last, so it never matches after an interrupted installation.
 * @param {(wanted: Map<string, Package>) => string[]} select
 */
function areInstalled(select) {
  const wanted = readPackages('package-lock.json')
  const present = readPackages('node_modules/.package-lock.json')
  const isCurrent = [...present].every(([name, { integrity }]) => wanted.get(name)?.integrity === integrity)
  return isCurrent && select(wanted).every((name) => present.has(name) || !belongsHere(wanted.get(name) ?? {}))
}

/**
 * Whether `npm prune --omit=dev` has removed the build tools. Packages of such an installation are never replaced by
 * running a command.
 */
export function dependenciesArePruned() {
  const wanted = [...readPackages('package-lock.json')].filter(([name, entry]) => name !== '' && belongsHere(entry))
  const present = readPackages('node_modules/.package-lock.json')
  const tools = wanted.filter(([, { dev }]) => dev)
  const needed = wanted.filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional)
  const hasNeeded = needed.every(([name, { integrity }]) => present.get(name)?.integrity === integrity)
  return present.size > 0 && hasNeeded && !tools.some(([name]) => present.has(name))
}

// Includes build tools even if NODE_ENV is production. No package needs its install scripts.
const options = ['--prefer-offline', '--include=dev', '--include=optional', '--ignore-scripts']
const log = join(setUpFolder, 'dependencies.log')

export const installProgramDependencies = () => runQuietly(npm('ci', '--workspaces=false', ...options), log)

/** `npm ci` would first empty node_modules, from which a demo may be running. */
export const installDependencies = () =>
  runQuietly(programDependenciesAreCurrent() ? npm('install', '--no-save', ...options) : npm('ci', ...options), log)

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
 * Optional packages are binaries for one kind of machine. Whether those for one C library, or for any machine, are
 * installed is up to npm.
 * @param {Package} entry
 */
function belongsHere({ optional, os, cpu, libc }) {
  if (!optional) return true
  if (libc || (!os && !cpu)) return false
  return (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch))
}
