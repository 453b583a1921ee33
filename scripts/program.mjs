// `npm run onboarding`, `npm run platform` and their command lines: runs one program with its environment variables.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Told } from './set-up/commands.mjs'
import { dependenciesArePruned } from './set-up/dependencies.mjs'
import { dataFolder, root } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { built, nodeVersion, programDependencies } from './set-up/steps.mjs'

const [program = '', ...args] = process.argv.slice(2)

await runScript(async () => {
  const file = join(root, 'dist', `${program}.js`)
  const isInstalled = existsSync(file) && dependenciesArePruned()
  await setUp(isInstalled ? [nodeVersion] : [nodeVersion, programDependencies, built])
  for (const settings of demoSettings(program) ?? settingsOf(program)) process.loadEnvFile(settings)
  // Runs the program in this process, so that signals and exit codes are those of the program.
  process.argv.splice(1, Number.POSITIVE_INFINITY, file, ...args)
  await import(pathToFileURL(file).href)
})

/**
 * The settings of the running demo, if a command asks for them. Otherwise a command for another deployment could reach
 * the demo.
 * @param {string} program
 * @returns {string[] | undefined}
 */
function demoSettings(program) {
  const [name = '', part] = program.split('/')
  if (part !== 'cli') return undefined
  const { DEMO_DATA_DIR: folder, DATABASE_URL: database } = process.env
  if (!folder) {
    const isLost = !database && settingsOf(program).length === 0 && existsSync(join(dataFolder, `${name}.env`))
    if (isLost) console.error('For the deployment that npm start runs, put DEMO_DATA_DIR=.data before the command.')
    return undefined
  }
  const file = join(resolve(root, folder), `${name}.env`)
  if (existsSync(file)) return [file]
  console.error(`DEMO_DATA_DIR: there is no ${file}. npm start writes it.`)
  throw new Told('there are no settings')
}

/**
 * The file of the program overrides the common one; variables that are already set win.
 * @param {string} program
 */
function settingsOf(program) {
  const names = [`.env.${program.split('/')[0]}`, '.env']
  return names.map((name) => join(root, name)).filter((file) => existsSync(file))
}
