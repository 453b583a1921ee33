// `npm run migrations:lock`: records the digests of new migrations. `-- --replace` also updates locked ones that no
// release (tag v…) has.
import { execFileSync } from 'node:child_process'
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
  const replace = process.argv.includes('--replace')
  try {
    for (const program of programs) await lockProgram(program, replace)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
})

/**
 * @param {{ list: string, file: string }} program
 * @param {boolean} replace
 */
async function lockProgram({ list, file }, replace) {
  const path = join(root, file)
  const before = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const released = releasedSteps(file)
  const { lock, added, replaced } = lockSteps(before, await stepsIn(list), {
    replace,
    isReleased: (name) => released.has(name),
  })
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
  for (const name of added) console.log(`${file}: locked ${name}`)
  for (const name of replaced) {
    console.log(`${file}: replaced ${name}; databases that have it must be made anew (the demo's: npm run reset)`)
  }
}

/** @param {string} list */
async function stepsIn(list) {
  const load = (/** @type {string} */ file) => import(pathToFileURL(join(root, 'dist-modules', file)).href)
  const [{ migrations }, { stepDigest }] = await Promise.all([load(list), load('kit/database/migrations.js')])
  return migrations.map((/** @type {{ name: string }} */ step) => ({ name: step.name, digest: stepDigest(step) }))
}

/**
 * The steps locked by any release.
 * @param {string} file
 */
function releasedSteps(file) {
  const tags = git('tag', '--list', 'v*').split('\n').filter(Boolean)
  return new Set(tags.flatMap((tag) => Object.keys(JSON.parse(git('show', `${tag}:${file}`) || '{}'))))
}

/**
 * The output of git; empty without a repository or file.
 * @param {string[]} args
 */
function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}
