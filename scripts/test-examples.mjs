// `npm run test:examples`: what needs packages that only it needs, from the registry: the example in Next.js, and the React
// components in React 18. Not part of `npm test`: Next.js alone is 200 MB, and the set-up of everybody must stay short.
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
