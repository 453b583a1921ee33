import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { installed, runHere, Told } from '../set-up/commands.mjs'
import { root } from '../set-up/folders.mjs'

/** In the order in which they need each other's types. */
export const packageNames = /** @type {const} */ (['client', 'connect', 'cli'])

/**
 * Builds what is published into the `dist` of each package, without anything of an older build.
 * @param {string} [folder] where `packages` is
 */
export async function buildPackages(folder = root) {
  for (const name of packageNames) {
    const source = join(folder, 'packages', name)
    rmSync(join(source, 'dist'), { recursive: true, force: true })
    const status = await runHere([installed('tsc'), '-p', source])
    if (status !== 0) throw new Told(`packages/${name} does not compile`)
  }
}
