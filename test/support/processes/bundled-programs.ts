// The programs as one file each, made once for a run: a process loads that in half the time its modules take. That they
// run from `dist` as they are deployed is for the journeys and for the tests of each program's start.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'

type Program = 'onboarding/main' | 'platform/main' | 'platform/cli'

const root = fileURLToPath(new URL('../../../', import.meta.url))
// As deep as `dist/kit/http`, from where a program looks for its templates.
const output = `${root}dist-tests/programs`

export const bundled = (program: Program): string =>
  program === 'onboarding/main' ? `${output}/${program}.cjs` : `${output}/${program}.js`

export default async function bundlePrograms() {
  await Promise.all([bundleOnboarding(), bundlePlatform()])
}

const common = {
  absWorkingDir: root,
  outbase: 'src',
  outdir: output,
  bundle: true,
  platform: 'node',
  target: 'node20',
  // It finds its worker and its printer by their own files.
  external: ['pino', 'pino-pretty'],
  logLevel: 'warning',
} satisfies BuildOptions

async function bundlePlatform() {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    ...common,
    entryPoints: ['src/platform/main.ts', 'src/platform/cli.ts'],
    format: 'esm',
    // Packages in the older format ask for Node's modules at run time.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)`,
    },
    write: false,
  })
  for (const { path, contents } of outputFiles) replace(path, contents)
}

/** Fault tests kill it more than a hundred times, so it is compiled, too. Only a script can be, not a module. */
async function bundleOnboarding() {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    ...common,
    entryPoints: ['src/onboarding/main.ts'],
    format: 'cjs',
    minifyWhitespace: true,
    define: { 'import.meta.url': 'address' },
    banner: { js: `const address = require('node:url').pathToFileURL(__filename).href;` },
    plugins: [startsLast],
    write: false,
  })
  const [script] = outputFiles
  replace(`${output}/onboarding/main.script`, script?.contents ?? Buffer.of())
  replace(`${output}/onboarding/main.cjs`, Buffer.from(loader))
  const compiled = execFileSync(process.execPath, ['-e', compiler, `${output}/onboarding/main.script`], {
    maxBuffer: 100_000_000,
  })
  replace(`${output}/onboarding/main.compiled`, compiled)
}

/** A script cannot wait at its top level; an entry point that starts its program has nothing left to do there. */
const startsLast: Plugin = {
  name: 'starts-last',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/src\/\w+\/main\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/^await (?=runProgram\()/m, 'void '),
      loader: 'ts',
    })),
}

const asFunction = (file: string) => `\`(function (require, __filename) {\${fs.readFileSync(${file}, 'latin1')}\n})\``

// Every function at once: left alone, each process compiles what it calls for the first time.
const compiler = `
const fs = require('node:fs'), v8 = require('node:v8'), vm = require('node:vm')
v8.setFlagsFromString('--no-lazy')
const script = new vm.Script(${asFunction('process.argv[1]')}, { filename: process.argv[1] })
v8.setFlagsFromString('--lazy')
fs.writeSync(1, script.createCachedData())
`

// What another run has replaced meanwhile does not fit the script; it is then compiled as if there were none.
const loader = `
const fs = require('node:fs'), vm = require('node:vm')
const filename = __filename.replace('.cjs', '.script')
const script = new vm.Script(${asFunction('filename')}, {
  filename,
  cachedData: fs.readFileSync(__filename.replace('.cjs', '.compiled')),
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})
script.runInThisContext()(require, __filename)
`

/** At once: another run may be starting the one before. */
function replace(path: string, contents: Uint8Array) {
  mkdirSync(dirname(path), { recursive: true })
  const next = `${path}.${process.pid}`
  writeFileSync(next, contents)
  renameSync(next, path)
}
