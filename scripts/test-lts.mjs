// `npm run test:lts`: runs `npm test` on the current LTS release of Node.
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runHere } from './set-up/commands.mjs'
import { ltsNode, ltsNodeStep } from './set-up/lts-node.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { dependencies, nodeVersion } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies, ltsNodeStep])
  const PATH = [dirname(ltsNode), process.env.PATH].join(delimiter)
  const test = fileURLToPath(new URL('test.mjs', import.meta.url))
  return runHere([ltsNode, test, ...process.argv.slice(2)], { ...process.env, PATH })
})
