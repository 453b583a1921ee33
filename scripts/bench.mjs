// `npm run bench:<name>`: runs set-up, build and bench/<name>/run.ts. Links are measured on the Node of the image, and with
// `--both` on that of the oldest supported line as well.
import { join } from 'node:path'
import { installed, runHere } from './set-up/commands.mjs'
import { root } from './set-up/folders.mjs'
import { ltsNode, ltsNodeStep, oldestNode, oldestNodeStep } from './set-up/lts-node.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { built, dependencies, nodeVersion, redis } from './set-up/steps.mjs'

const [name = '', ...args] = process.argv.slice(2)

const image = { node: ltsNode, steps: [ltsNodeStep] }
const oldest = { node: oldestNode, steps: [oldestNodeStep] }
const here = { node: process.execPath, steps: [] }
const links = args.includes('--both') ? [image, oldest] : [image]
const releases = name === 'link' ? links : [here]

await runScript(async () => {
  await setUp([nodeVersion, dependencies, redis, built, ...releases.flatMap(({ steps }) => steps)])
  const status = await runHere([installed('tsc'), '-p', 'tsconfig.bench.json'])
  if (status !== 0) return status
  const program = join(root, 'dist-bench', 'bench', name, 'run.js')
  const passed = args.filter((arg) => arg !== '--both')
  for (const { node } of releases) {
    const ended = await runHere([node, '--enable-source-maps', program, ...passed])
    if (ended !== 0) return ended
  }
  return 0
})
