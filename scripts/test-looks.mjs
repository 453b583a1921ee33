// `npm run test:looks`: opens every end-user page in every language, scheme and size, with and without branding and
// JavaScript, and writes screenshots to .data/screenshots/looks. Needs Chromium and half an hour. A part of it: `npm
// run test:looks -- --languages de,ar-XB --pages connect,manage --schemes dark --sizes phone --scripts js`.
import { parseArgs } from 'node:util'
import { installed, runHere } from './set-up/commands.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { dependencies, nodeVersion } from './set-up/steps.mjs'

const parts = ['languages', 'pages', 'schemes', 'sizes', 'scripts']
const { values } = parseArgs({ options: Object.fromEntries(parts.map((name) => [name, { type: 'string' }])) })
const asked = Object.fromEntries(Object.entries(values).map(([name, value]) => [`LOOKS_${name.toUpperCase()}`, value]))

await runScript(async () => {
  await setUp([nodeVersion, dependencies])
  return runHere([installed('vitest'), 'run', '--config', 'test/looks/vitest.config.ts'], { ...process.env, ...asked })
})
