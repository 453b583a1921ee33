// Tests import `src` as compiled by tsc instead of transformed by Vite. Measured on 628 tests with stores: 69 s of CPU
// instead of 81 s.
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitest/config'
import { modules } from '../../../scripts/set-up/build.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export const builtFiles = [/\/dist-modules\//]

/** Watch mode reads `src`, because its files change. */
export async function asBuilt(): Promise<Plugin[]> {
  if (!process.argv.includes('run')) return []
  if (!modules.isCurrent()) await modules.build()
  return [plugin]
}

const plugin: Plugin = {
  name: 'as-built',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!importer || !source.startsWith('.')) return undefined
    const path = resolve(dirname(importer), source)
    if (!path.startsWith(`${root}src/`) || !path.endsWith('.ts')) return undefined
    return `${root}dist-modules/${path.slice(`${root}src/`.length, -'.ts'.length)}.js`
  },
}
