// The programs with the packages that they use, in a few files: Node reads those in half the time that a thousand modules
// take (docs/decisions/0044-programs-in-a-few-files.md).
import { root } from './folders.mjs'

/** By the names of their files in `src`. The demo reads `compose` ahead, while a program waits for its settings. */
const entries = [
  ...['onboarding/main', 'onboarding/cli', 'onboarding/compose'],
  ...['platform/main', 'platform/cli', 'platform/compose'],
  ...['demo/main', 'demo/waiting-program', 'demo/misbehave/main'],
]

/** They look for files of their own, or go by the names of their classes, of which no two are alike in one file. */
const external = ['ioredis', 'oidc-provider', 'pino', 'pino-pretty', 'sharp']

/** @param {string} folder */
export async function bundlePrograms(folder) {
  const { build } = await import('esbuild')
  await build(bundleOptions(folder))
}

/**
 * @param {string} folder
 * @returns {import('esbuild').BuildOptions}
 */
export const bundleOptions = (folder) => ({
  absWorkingDir: root,
  entryPoints: entries.map((entry) => `src/${entry}.ts`),
  outbase: 'src',
  outdir: folder,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  // What several programs use, and what is loaded when it is first needed, are files of their own.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external,
  // For packages in CommonJS that ask for a part of Node's while they run.
  banner: {
    js: `import { createRequire as requiring } from 'node:module'; const require = requiring(import.meta.url);`,
  },
  // For whoever looks for the place of an error (thrown-at.ts). The sources themselves are in the repository.
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
})
