// Bundles the programs with their packages into a few files, which Node loads in half the time of a thousand modules
// (docs/decisions/0042-bundle-the-programs.md).
import { root } from './folders.mjs'

/** Paths in `src`. The demo loads `compose` in advance, while a program waits for its settings. */
const entries = [
  ...['onboarding/main', 'onboarding/cli', 'onboarding/compose'],
  ...['platform/main', 'platform/cli', 'platform/compose'],
  ...['demo/main', 'demo/waiting-program', 'demo/misbehave/main'],
]

/** Packages that have native parts, read their own files, or rely on class names, which esbuild makes unique per file. */
const external = [
  '@kubernetes/client-node',
  'dockerode',
  'ioredis',
  'jsonc-parser',
  'oidc-provider',
  'pino',
  'pino-pretty',
  'sharp',
]

/** @param {string} folder */
export async function bundlePrograms(folder) {
  const { build, stop } = await import('esbuild')
  // Without its garbage collector esbuild needs a third less CPU time, and 440 MB instead of 330.
  process.env.GOGC = 'off'
  try {
    await build(bundleOptions(folder))
  } finally {
    delete process.env.GOGC
    await stop() // esbuild would run as long as this process, which becomes the demo
  }
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
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external,
  // CommonJS packages call require() for modules of Node.
  banner: {
    js: `import { createRequire as requiring } from 'node:module'; const require = requiring(import.meta.url);`,
  },
  // For the locations of errors in the log.
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
})
