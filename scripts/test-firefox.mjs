// `npm run test:firefox`: tests the Connect button in Firefox. Not part of `npm test`: Firefox is 80 MB.
import { installed, runHere } from './set-up/commands.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { bubblewrap, dependencies, findFirefox, firefox, nodeVersion, redis } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies, redis, bubblewrap, firefox])
  const env = { ...process.env, FIREFOX_PATH: findFirefox() }
  return runHere(
    [installed('vitest'), 'run', '--config', 'test/firefox/vitest.config.ts', ...process.argv.slice(2)],
    env,
  )
})
