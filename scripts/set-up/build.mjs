import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundlePrograms } from './bundle-programs.mjs'
import { installed, runQuietly } from './commands.mjs'
import { root, setUpFolder } from './folders.mjs'

/** The deployed programs, bundled into a few files each. */
export const programs = buildIn('dist', bundlePrograms)

/** Single modules, for tests and scripts. */
export const modules = buildIn('dist-modules', compileModules)

/** Without type checks, which take ten times as long: `npm test` and `npm run check` do these. */
async function compileModules(/** @type {string} */ folder) {
  const options = ['--noCheck', '--outDir', folder, '--incremental', 'false', '--tsBuildInfoFile', 'null']
  await runQuietly([installed('tsc'), '-p', 'tsconfig.build.json', ...options], join(setUpFolder, 'build.log'))
}

/**
 * @param {string} name
 * @param {(folder: string) => Promise<void>} make
 */
function buildIn(name, make) {
  const output = join(root, name)
  const stamp = join(output, '.built-from')
  return {
    isCurrent() {
      try {
        return readFileSync(stamp, 'utf8') === describeSources()
      } catch {
        return false
      }
    },
    /** Builds into another folder and swaps at the end, so that running programs never see half a build. */
    async build() {
      const sources = describeSources()
      const [next, last] = [`${output}-next`, `${output}-last`]
      rmSync(next, { recursive: true, force: true })
      rmSync(last, { recursive: true, force: true })
      await make(next)
      keepChunks(output, next)
      writeFileSync(join(next, '.built-from'), sources)
      exchange(output, next, last)
    },
  }
}

const keptMs = 24 * 60 * 60 * 1_000

/** Running programs load some chunks of the previous build later. Chunks have names by content, and stay for a day. */
export function keepChunks(/** @type {string} */ output, /** @type {string} */ next) {
  const [from, to] = [join(output, 'chunks'), join(next, 'chunks')]
  for (const name of existsSync(from) ? readdirSync(from) : []) {
    const isRecent = statSync(join(from, name)).mtimeMs > Date.now() - keptMs
    if (isRecent && !existsSync(join(to, name))) cpSync(join(from, name), join(to, name), { preserveTimestamps: true })
  }
}

function exchange(/** @type {string} */ output, /** @type {string} */ next, /** @type {string} */ last) {
  try {
    renameSync(output, last)
  } catch {
    // the first build
  }
  renameSync(next, output)
  rmSync(last, { recursive: true, force: true })
}

/** Names, sizes and times instead of contents: runs at every start. */
function describeSources() {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => join('src', name))
  const own = ['scripts/set-up/build.mjs', 'scripts/set-up/bundle-programs.mjs']
  const files = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', ...own, ...sources.sort()]
  const hash = createHash('sha256')
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(root, file))
    hash.update(`${file}\n${size}\n${mtimeMs}\n`)
  }
  return hash.digest('hex')
}
