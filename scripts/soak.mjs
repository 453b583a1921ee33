// `npm run soak`: set-up, build, then 15 minutes of links under faults (SOAK_SECONDS=3600 for an hour, SOAK_RATE, SOAK_SEED).
// `npm run test:failover` (`failover`): links while a store or a process fails (FAILOVER_RATE).
import { installed, runHere } from './set-up/commands.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { built, dependencies, nodeVersion, proxies, redis } from './set-up/steps.mjs'

const [which = 'links', ...rest] = process.argv.slice(2)

await runScript(async () => {
  await setUp([nodeVersion, dependencies, redis, ...proxies, built])
  const config = ['--config', 'test/soak/vitest.config.ts', '--disable-console-intercept']
  return runHere([installed('vitest'), 'run', which, ...config, ...rest])
})
