// The programs as one file each, made once for a run: a process loads that in half the time its modules take. That they
// run from `dist` as they are deployed is for the journeys and for the tests of each program's start.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { OutputFile, Plugin } from 'esbuild'
import { pageScriptsAreCurrent, writePageScripts } from '../../../scripts/set-up/page-scripts.mjs'
import { seldomOptimized } from './seldom-optimized.ts'

const programs = [
  ...(['onboarding/main', 'onboarding/cli', 'platform/main', 'platform/cli'] as const),
  ...(['demo/main', 'demo/waiting-program'] as const),
] as const

type Program = (typeof programs)[number]

const root = fileURLToPath(new URL('../../../', import.meta.url))
const output = `${root}dist-tests/programs`

export const bundled = (program: Program): string => `${output}/${program}.js`

/** They are started hundreds of times, so they are compiled, too. Only a script can be, not a module. */
export async function bundlePrograms(): Promise<void> {
  if (!pageScriptsAreCurrent()) await writePageScripts()
  if (bundlesAreCurrent()) return
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: programs.map((program) => `src/${program}.ts`),
    outbase: 'src',
    outdir: output,
    outExtension: { '.js': '.script' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minifyWhitespace: true,
    define: { 'import.meta.url': 'address' },
    banner: { js: `const address = require('node:url').pathToFileURL(__filename).href;` },
    // They find their worker, their printer and their native part by their own files.
    external: ['pino', 'pino-pretty', 'sharp'],
    plugins: [withoutWaiting],
    logLevel: 'warning',
    write: false,
    metafile: true,
  })
  await Promise.all(outputFiles.map(compile))
  replace(`${output}/package.json`, Buffer.from('{"type":"commonjs"}'))
  // What the demo reads ahead of a program's start is in its one file.
  for (const program of ['onboarding', 'platform']) replace(`${output}/${program}/compose.js`, Buffer.of())
  replace(stamp, Buffer.from(JSON.stringify(describeInputs(Object.keys(metafile.inputs)))))
}

const stamp = `${output}/made-from.json`

/** To make them takes ten seconds of the processor, which a second run of the same sources need not spend. */
function bundlesAreCurrent(): boolean {
  try {
    const made = readFileSync(stamp, 'utf8')
    return JSON.stringify(describeInputs(Object.keys(JSON.parse(made).files))) === made
  } catch {
    return false
  }
}

/** How they are made stands in this file, and where packages are found in the lock file; what is compiled fits one Node. */
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
  // A compiled script cannot import others at run time, which is all that this one does.
  if (path.endsWith('waiting-program.script')) return replace(path.replace(/script$/, 'js'), contents)
  replace(path, contents)
  replace(path.replace(/script$/, 'js'), Buffer.from(loader))
  const options = { encoding: 'buffer', maxBuffer: 100_000_000 } as const
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', compiler, path], options)
  replace(path.replace(/script$/, 'compiled'), stdout)
}

/** A script cannot wait at its top level; an entry point that starts its program has nothing left to do there. */
const withoutWaiting: Plugin = {
  name: 'without-waiting',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/\w+\/(main|program|cli)\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/^await (?=run\w+\(|import\()/m, 'void '),
      loader: 'ts',
    }))
    // It waits for its import.
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
const filename = __filename.replace(/js$/, 'script')
const script = new vm.Script(${asFunction('filename')}, {
  filename,
  cachedData: fs.readFileSync(__filename.replace(/js$/, 'compiled')),
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})
${seldomOptimized.map((flag) => `require('node:v8').setFlagsFromString('${flag}')`).join('\n')}
script.runInThisContext()(require, module, __filename)
`

/** At once: another run may be starting the one before. */
function replace(path: string, contents: Uint8Array) {
  mkdirSync(dirname(path), { recursive: true })
  const next = `${path}.${process.pid}`
  writeFileSync(next, contents)
  renameSync(next, path)
}
