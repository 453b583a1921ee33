// `npm run onboarding`, `npm run platform` and their command lines: one program alone, from environment variables.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { dependenciesArePruned } from './set-up/dependencies.mjs'
import { root } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { built, dependencies, nodeVersion, pageScripts } from './set-up/steps.mjs'

const [program = '', ...args] = process.argv.slice(2)

await runScript(async () => {
  const file = join(root, 'dist', `${program}.js`)
  const isInstalled = existsSync(file) && dependenciesArePruned()
  await setUp(isInstalled ? [nodeVersion] : [nodeVersion, dependencies, pageScripts, built])
  for (const settings of settingsOf(program)) process.loadEnvFile(settings)
  // The program runs in this very process, as if it had been called itself: signals and exit codes are its own.
  process.argv.splice(1, Number.POSITIVE_INFINITY, file, ...args)
  await import(pathToFileURL(file).href)
})

/**
 * The program's own file before the common one; a variable that is set already stays as it is.
 * @param {string} program
 */
function settingsOf(program) {
  const names = [`.env.${program.split('/')[0]}`, '.env']
  return names.map((name) => join(root, name)).filter((file) => existsSync(file))
}
