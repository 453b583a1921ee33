// `npm run docs:pictures`: takes the pictures of the README from the demo. Its usual ports must be free.
import { installed, runHere } from './set-up/commands.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { built, chromium, dependencies, fastChromium, findChromium, nodeVersion, redis } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies, redis, fastChromium, chromium, built])
  const env = { ...process.env, CHROMIUM_PATH: findChromium(), README_PICTURES: 'write' }
  return runHere([installed('vitest'), 'run', 'test/journeys/first-link.test.ts'], env)
})
