import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { installed, npm, runHere, Told } from '../set-up/commands.mjs'
import { root } from '../set-up/folders.mjs'

/** In order of their dependencies. */
export const packageNames = /** @type {const} */ (['client', 'connect', 'cli'])

/**
 * Builds each package into an empty `dist`.
 * @param {string} [folder] the parent of `packages`
 */
export async function buildPackages(folder = root) {
  for (const name of packageNames) {
    const source = join(folder, 'packages', name)
    rmSync(join(source, 'dist'), { recursive: true, force: true })
    const status = await runHere([installed('tsc'), '-p', source])
    if (status !== 0) throw new Told(`packages/${name} does not compile`)
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
  const printed = execFileSync(program, args, { cwd: join(folder, 'packages', name), encoding: 'utf8' })
  const [{ filename, files, size }] = JSON.parse(printed)
  const paths = files.map((/** @type {{ path: string }} */ { path }) => path).sort()
  return { tarball: join(target, filename), size, files: paths }
}
