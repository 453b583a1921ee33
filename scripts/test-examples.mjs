// `npm run test:examples`: tests the Next.js example, and the React components in React 18, with packages from the
// registry. Not part of `npm test`: Next.js is 200 MB.
import { installed, runHere } from './set-up/commands.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { bubblewrap, chromium, dependencies, fastChromium, findChromium, nodeVersion, redis } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies, redis, bubblewrap, fastChromium, chromium])
  const env = { ...process.env, CHROMIUM_PATH: findChromium() }
  return runHere(
    [installed('vitest'), 'run', '--config', 'test/examples/vitest.config.ts', ...process.argv.slice(2)],
    env,
  )
})
