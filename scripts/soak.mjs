// `npm run soak`: set-up, build, then 15 minutes of links under faults (SOAK_SECONDS, SOAK_RATE, SOAK_SEED).
import { installed, runHere } from './set-up/commands.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { built, dependencies, nodeVersion, redis } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies, redis, built])
  return runHere([installed('vitest'), 'run', '--config', 'test/soak/vitest.config.ts', '--disable-console-intercept'])
})
