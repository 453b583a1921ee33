// `npm run bench:<name>`: runs set-up, build and bench/<name>/run.ts.
import { join } from 'node:path'
import { installed, runHere } from './set-up/commands.mjs'
import { root } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { built, dependencies, nodeVersion, redis } from './set-up/steps.mjs'

const [name = '', ...args] = process.argv.slice(2)

await runScript(async () => {
  await setUp([nodeVersion, dependencies, redis, built])
  const status = await runHere([installed('tsc'), '-p', 'tsconfig.bench.json'])
  if (status !== 0) return status
  return runHere([process.execPath, '--enable-source-maps', join(root, 'dist-bench', 'bench', name, 'run.js'), ...args])
})
