// `npm run migrations:lock`: records the digests of new migrations.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { lockSteps } from './migrations/lock.mjs'
import { root } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { builtModules, dependencies, nodeVersion } from './set-up/steps.mjs'

const programs = [
  {
    list: 'onboarding/adapters/postgres/migrations/migrations.js',
    file: 'src/onboarding/adapters/postgres/migrations/migrations.lock.json',
  },
  {
    list: 'platform/shared/postgres/migrations.js',
    file: 'src/platform/shared/postgres/migrations/migrations.lock.json',
  },
]

await runScript(async () => {
  await setUp([nodeVersion, dependencies, builtModules])
  try {
    for (const program of programs) await lockProgram(program)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
})

/** @param {{ list: string, file: string }} program */
async function lockProgram({ list, file }) {
  const path = join(root, file)
  const before = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const { lock, added } = lockSteps(before, await stepsIn(list))
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
  for (const name of added) console.log(`${file}: locked ${name}`)
}

/** @param {string} list */
async function stepsIn(list) {
  const load = (/** @type {string} */ file) => import(pathToFileURL(join(root, 'dist-modules', file)).href)
  const [{ migrations }, { stepDigest }] = await Promise.all([load(list), load('kit/database/migrations.js')])
  return migrations.map((/** @type {{ name: string }} */ step) => ({ name: step.name, digest: stepDigest(step) }))
}
