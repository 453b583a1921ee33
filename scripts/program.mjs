// `npm run onboarding`, `npm run platform` and their command lines: one program alone, from environment variables.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { built, dependencies, nodeVersion } from './set-up/steps.mjs'

const [program, ...args] = process.argv.slice(2)

await runScript(async () => {
  await setUp([nodeVersion, dependencies, built])
  const file = join(root, 'dist', `${program}.js`)
  const settings = join(root, '.env')
  if (existsSync(settings)) process.loadEnvFile(settings) // what the shell sets goes before the file
  // The program runs in this very process, as if it had been called itself: signals and exit codes are its own.
  process.argv.splice(1, Number.POSITIVE_INFINITY, file, ...args)
  await import(pathToFileURL(file).href)
})
