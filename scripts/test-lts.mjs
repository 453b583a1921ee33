// `npm run test:lts`: `npm test` on the current LTS release of Node, whatever Node the machine has.
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npm, runHere, runQuietly } from './set-up/commands.mjs'
import { root, setUpFolder } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { dependencies, nodeVersion } from './set-up/steps.mjs'

const version = '26.10.0'

// The npm package `node` fetches one of these in its install script, which npm may refuse to run.
const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
const name = `${prefix}-${process.platform}-${process.arch}`

const folder = join(root, 'node_modules/.cache', `node-${version}`)
const node = join(folder, 'node_modules', name, 'bin/node')

/** @type {import('./set-up/steps.mjs').Step} */
const ltsNode = {
  doing: `Installing Node ${version}`,
  isDone: () => existsSync(node),
  do: () =>
    runQuietly(
      npm('install', '--prefix', folder, '--no-save', '--no-package-lock', '--prefer-offline', `${name}@${version}`),
      join(setUpFolder, 'node-lts.log'),
    ),
  cannot: `Node ${version} could not be installed: see that npm reaches its registry (npm ping), then try again.`,
}

await runScript(async () => {
  await setUp([nodeVersion, dependencies, ltsNode])
  const PATH = [dirname(node), process.env.PATH].join(delimiter)
  const test = fileURLToPath(new URL('test.mjs', import.meta.url))
  return runHere([node, test, ...process.argv.slice(2)], { ...process.env, PATH })
})
