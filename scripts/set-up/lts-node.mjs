// Releases of Node beside the one that runs the scripts.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { npm, runQuietly } from './commands.mjs'
import { root, setUpFolder } from './folders.mjs'

// The npm package `node` downloads one of these in its install script, which npm may not run.
const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
const name = `${prefix}-${process.platform}-${process.arch}`

/** @param {string} version */
function release(version) {
  const folder = join(root, 'node_modules/.cache', `node-${version}`)
  const path = join(folder, 'node_modules', name, 'bin/node')
  /** @type {import('./steps.mjs').Step} */
  const step = {
    doing: `Installing Node ${version}`,
    isDone: () => existsSync(path),
    do: () =>
      runQuietly(
        npm('install', '--prefix', folder, '--no-save', '--no-package-lock', '--prefer-offline', `${name}@${version}`),
        join(setUpFolder, `node-${version}.log`),
      ),
    cannot: `Node ${version} could not be installed: see that npm reaches its registry (npm ping), then try again.`,
  }
  return { path, step }
}

const version = '26.10.0'

/** The current LTS release, and the Node of the image. */
const lts = release(version)
export const ltsNode = lts.path
export const ltsNodeStep = lts.step

/** A release of the oldest supported line. */
const oldest = release('20.20.2')
export const oldestNode = oldest.path
export const oldestNodeStep = oldest.step
