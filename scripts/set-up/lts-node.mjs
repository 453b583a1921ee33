// The current LTS release of Node.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { npm, runQuietly } from './commands.mjs'
import { root, setUpFolder } from './folders.mjs'

const version = '26.10.0'

// The npm package `node` downloads one of these in its install script, which npm may not run.
const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
const name = `${prefix}-${process.platform}-${process.arch}`

const folder = join(root, 'node_modules/.cache', `node-${version}`)

export const ltsNode = join(folder, 'node_modules', name, 'bin/node')

/** @type {import('./steps.mjs').Step} */
export const ltsNodeStep = {
  doing: `Installing Node ${version}`,
  isDone: () => existsSync(ltsNode),
  do: () =>
    runQuietly(
      npm('install', '--prefix', folder, '--no-save', '--no-package-lock', '--prefer-offline', `${name}@${version}`),
      join(setUpFolder, 'node-lts.log'),
    ),
  cannot: `Node ${version} could not be installed: see that npm reaches its registry (npm ping), then try again.`,
}
