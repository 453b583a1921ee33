// Builds `packages`, and packs them into `dist-packages`, from where onboarding serves them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installed, npm, runHere, Told } from './commands.mjs'
import { root } from './folders.mjs'
import { packWheel, wheelSources } from './python-wheel.mjs'

export const packageNames = /** @type {const} */ (['client', 'connect', 'cli'])

/**
 * Builds each package into an empty `dist`.
 * @param {string} [folder] the parent of `packages`
 */
export async function buildPackages(folder = root) {
  for (const name of packageNames) rmSync(join(folder, 'packages', name, 'dist'), { recursive: true, force: true })
  for (const name of ['client', 'connect']) {
    const status = await runHere([installed('tsc'), '-p', join(folder, 'packages', name)])
    if (status !== 0) throw new Told(`packages/${name} does not compile`)
  }
  await bundleCommand(folder)
}

/**
 * With the client inside: no registry has it yet, so the command could not depend on it.
 * @param {string} folder
 */
async function bundleCommand(folder) {
  const { build, stop } = await import('esbuild')
  try {
    await build({
      absWorkingDir: folder,
      entryPoints: ['packages/cli/src/main.ts'],
      outfile: 'packages/cli/dist/main.js',
      alias: { '@causeway/client': join(folder, 'packages/client/src/client.ts') },
      external: ['standardwebhooks'],
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.12',
      logLevel: 'warning',
    })
  } finally {
    await stop()
  }
}

/**
 * Packs a built package as it would be published.
 * @param {string} folder the parent of `packages`
 * @param {(typeof packageNames)[number]} name
 * @param {string} target
 * @returns {{ tarball: string, size: number, files: string[] }}
 */
export function packPackage(folder, name, target) {
  const [program, ...args] = npm('pack', '--json', '--ignore-scripts', '--pack-destination', target)
  const printed = execFileSync(program, args, {
    cwd: join(folder, 'packages', name),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ filename, files, size }] = JSON.parse(printed)
  const paths = files.map((/** @type {{ path: string }} */ { path }) => path).sort()
  return { tarball: join(target, filename), size, files: paths }
}

const output = join(root, 'dist-packages')
const stamp = join(output, '.built-from')

export function packagesAreCurrent() {
  try {
    return readFileSync(stamp, 'utf8') === describeSources()
  } catch {
    return false
  }
}

/** Packs into another folder and swaps at the end, because a program may be serving the files. */
export async function writePackages() {
  const sources = describeSources()
  const next = `${output}-next`
  rmSync(next, { recursive: true, force: true })
  mkdirSync(next)
  await buildPackages()
  for (const name of packageNames) renameSync(packPackage(root, name, next).tarball, join(next, `${name}.tgz`))
  packWheel(root, next)
  writeFileSync(join(next, '.built-from'), sources)
  rmSync(output, { recursive: true, force: true })
  renameSync(next, output)
}

/** Names, sizes and times, because this runs at every start. */
function describeSources() {
  const files = packageNames.flatMap((name) => {
    const folder = join('packages', name)
    const sources = readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
    return [...['package.json', 'README.md', 'tsconfig.json'], ...sources.sort().map((file) => join('src', file))].map(
      (file) => join(folder, file),
    )
  })
  const ofPython = [...wheelSources(root), 'pyproject.toml', 'README.md'].map((file) => join('packages/python', file))
  const own = ['scripts/set-up/packages.mjs', 'scripts/set-up/python-wheel.mjs']
  const hash = createHash('sha256')
  for (const file of [...own, ...files, ...ofPython]) {
    const { size, mtimeMs } = statSync(join(root, file))
    hash.update(`${file}\n${size}\n${mtimeMs}\n`)
  }
  return hash.digest('hex')
}
