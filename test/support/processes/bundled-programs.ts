// The programs as one file each, made once for a run: a process loads that in half the time its modules take. That they
// run from `dist` as they are deployed is for the journeys and for the tests of each program's start.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

type Program = 'onboarding/main' | 'platform/main' | 'platform/cli'

const programs: Program[] = ['onboarding/main', 'platform/main', 'platform/cli']

const root = fileURLToPath(new URL('../../../', import.meta.url))
// As deep as `dist/kit/http`, from where a program looks for its templates.
const output = `${root}dist-tests/programs`

export const bundled = (program: Program): string => `${output}/${program}.js`

export default async function bundlePrograms() {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: programs.map((program) => `src/${program}.ts`),
    outbase: 'src',
    outdir: output,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // It finds its worker and its printer by their own files.
    external: ['pino', 'pino-pretty'],
    // Packages in the older format ask for Node's modules at run time.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)`,
    },
    logLevel: 'warning',
    write: false,
  })
  for (const { path, contents } of outputFiles) replace(path, contents)
}

/** At once: another run may be starting the one before. */
function replace(path: string, contents: Uint8Array) {
  mkdirSync(dirname(path), { recursive: true })
  const next = `${path}.${process.pid}`
  writeFileSync(next, contents)
  renameSync(next, path)
}
