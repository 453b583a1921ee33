// `npm run test:looks`: every page of an end user in every language, scheme and size, with and without branding and
// JavaScript, with pictures in .data/screenshots/looks. Needs Chromium.
import { installed, runHere } from './set-up/commands.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { dependencies, nodeVersion } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies])
  return runHere([installed('vitest'), 'run', '--config', 'test/looks/vitest.config.ts'], process.env)
})
