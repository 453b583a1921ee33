// Bundles each program into one file per run: a process loads that in half the time of its modules. Journeys and the
// start tests of each program use `dist` instead.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { OutputFile, Plugin } from 'esbuild'

const programs = [
  ...(['onboarding/main', 'onboarding/cli', 'platform/main', 'platform/cli'] as const),
  ...(['demo/main', 'demo/waiting-program'] as const),
  'onboarding/crashing',
] as const

type Program = (typeof programs)[number]

const sourceOf = (program: Program) =>
  program === 'onboarding/crashing' ? 'test/support/processes/crashing-onboarding.ts' : `src/${program}.ts`

const root = fileURLToPath(new URL('../../../', import.meta.url))
const output = `${root}dist-tests/programs`

export const bundled = (program: Program): string => `${output}/${program}.js`

/** Also compiles them, because they are started hundreds of times. Only a script can be compiled, not a module. */
export async function bundlePrograms(): Promise<void> {
  if (bundlesAreCurrent()) return
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(programs.map((program) => [program, sourceOf(program)])),
    outdir: output,
    outExtension: { '.js': '.script' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minifyWhitespace: true,
    define: { 'import.meta.url': 'address' },
    banner: { js: `const address = require('node:url').pathToFileURL(__filename).href;` },
    // These load their own files at run time.
    external: ['dockerode', 'jsonc-parser', 'pino', 'pino-pretty', 'sharp'],
    plugins: [withoutWaiting],
    logLevel: 'warning',
    write: false,
    metafile: true,
  })
  await Promise.all(outputFiles.map(compile))
  replace(`${output}/package.json`, Buffer.from('{"type":"commonjs"}'))
  // Modules that the demo preloads are in the bundle.
  for (const program of ['onboarding', 'platform']) replace(`${output}/${program}/compose.js`, Buffer.of())
  replace(stamp, Buffer.from(JSON.stringify(describeInputs(Object.keys(metafile.inputs)))))
}

const stamp = `${output}/made-from.json`

/** Bundling takes ten seconds of CPU, which a second run of the same sources saves. */
function bundlesAreCurrent(): boolean {
  try {
    const made = readFileSync(stamp, 'utf8')
    return JSON.stringify(describeInputs(Object.keys(JSON.parse(made).files))) === made
  } catch {
    return false
  }
}

/** The bundles depend on this file, the lock file and the version of Node. */
function describeInputs(inputs: string[]) {
  const own = fileURLToPath(import.meta.url)
  const paths = [...inputs.map((path) => resolve(root, path)), own, `${root}package-lock.json`]
  const files = paths.map((path) => {
    const { size, mtimeMs } = statSync(path)
    return [path, `${size} ${mtimeMs}`] as const
  })
  return { node: process.version, files: Object.fromEntries(files) }
}

async function compile({ path, contents }: OutputFile) {
  // A compiled script has no dynamic import, which is all that this entry point does.
  if (path.endsWith('waiting-program.script')) return replace(path.replace(/script$/, 'js'), contents)
  replace(path, contents)
  replace(path.replace(/script$/, 'js'), Buffer.from(loader))
  const options = { encoding: 'buffer', maxBuffer: 100_000_000 } as const
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', compiler, path], options)
  replace(path.replace(/script$/, 'compiled'), stdout)
}

/** A script has no top-level await; the entry points have nothing to do after it. */
const withoutWaiting: Plugin = {
  name: 'without-waiting',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/\w+\/(main|program|cli)\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/^await (?=run\w+\(|import\()/m, 'void '),
      loader: 'ts',
    }))
    // A compiled script cannot import either.
    onLoad({ filter: /\/(?:demo\/start|logo-pictures)\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(`await import('sharp')`, `{ default: require('sharp') }`),
      loader: 'ts',
    }))
    // It awaits its import.
    onLoad({ filter: /\/src\/kit\/http\/oidc-provider\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll(/\b(?:await|async) /g, '')
        .replace('import(', 'require('),
      loader: 'ts',
    }))
  },
}

const asFunction = (file: string) =>
  `\`(function (require, module, __filename) {\${fs.readFileSync(${file}, 'latin1')}\n})\``

// Compiles all functions at once; otherwise each process compiles each function at its first call.
const compiler = `
const fs = require('node:fs'), v8 = require('node:v8'), vm = require('node:vm')
v8.setFlagsFromString('--no-lazy')
const script = new vm.Script(${asFunction('process.argv[1]')}, { filename: process.argv[1] })
v8.setFlagsFromString('--lazy')
fs.writeSync(1, script.createCachedData())
`

// If another run has replaced the cache, it does not fit the script and is ignored.
const loader = `
const fs = require('node:fs'), vm = require('node:vm')
const filename = __filename.replace(/js$/, 'script')
const script = new vm.Script(${asFunction('filename')}, {
  filename,
  cachedData: fs.readFileSync(__filename.replace(/js$/, 'compiled')),
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})
script.runInThisContext()(require, module, __filename)
`

/** Atomically: another run may be starting the previous one. */
function replace(path: string, contents: Uint8Array) {
  mkdirSync(dirname(path), { recursive: true })
  const next = `${path}.${process.pid}`
  writeFileSync(next, contents)
  renameSync(next, path)
}
