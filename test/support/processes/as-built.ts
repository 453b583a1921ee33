// The programs as they are built, for the tests: Node loads them in a quarter of the time that it takes to have each module
// transformed for each worker, and they are what is deployed.
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitest/config'
import { build, buildIsCurrent } from '../../../scripts/set-up/build.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export const builtFiles = [/\/dist\/(?:contract|demo|kit|onboarding|platform)\//]

/** Whoever watches changes sources meanwhile: those are then read as they are written. */
export async function asBuilt(): Promise<Plugin[]> {
  if (!process.argv.includes('run')) return []
  if (!buildIsCurrent()) await build()
  return [plugin]
}

const plugin: Plugin = {
  name: 'as-built',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!importer || !source.startsWith('.')) return undefined
    const path = resolve(dirname(importer), source)
    if (!path.startsWith(`${root}src/`) || !path.endsWith('.ts')) return undefined
    return `${root}dist/${path.slice(`${root}src/`.length, -'.ts'.length)}.js`
  },
}
