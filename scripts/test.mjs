// `npm test [-- <vitest arguments>]`: set-up, lint, types, tests; the last line says how many passed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installed, runHere } from './set-up/commands.mjs'
import { setUpFolder } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import {
  bubblewrap,
  built,
  chromium,
  dependencies,
  fastChromium,
  findChromium,
  nodeVersion,
  pageScripts,
  redis,
} from './set-up/steps.mjs'

/** @type {import('./set-up/commands.mjs').Command[]} */
const checks = [
  [installed('biome'), 'check', '.'],
  // What was found to be right in the run before is not looked at again.
  [installed('tsc'), '--noEmit', '--incremental', '--tsBuildInfoFile', join(setUpFolder, 'types.tsbuildinfo')],
]

await runScript(async () => {
  await setUp([nodeVersion, dependencies, redis, bubblewrap, fastChromium, chromium])
  // Side by side: neither alone keeps two cores busy.
  const statuses = await Promise.all(checks.map((check) => runHere(check)))
  const status = statuses.find((each) => each !== 0)
  if (status !== undefined) return close({ passed: 0, failed: 1, status })
  await setUp([pageScripts, built])
  return close(await runTests(process.argv.slice(2)))
})

/** @param {string[]} args */
async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-counts-'))
  const counts = join(folder, 'counts.json')
  const reporters = ['--reporter=default', '--reporter=./scripts/counting-reporter.mjs']
  try {
    const env = { ...process.env, CHROMIUM_PATH: findChromium(), TEST_COUNTS: counts }
    const status = await runHere([installed('vitest'), 'run', ...reporters, ...args], env)
    return { ...readCounts(counts), status }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} file
 * @returns {{ passed: number, failed: number }}
 */
function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 1 } // it ended before any test ran
  }
}

/** @param {{ passed: number, failed: number, status: number }} result */
function close({ passed, failed, status }) {
  // Errors outside of any test make vitest fail while every test passed.
  console.log(`\n${passed} passed, ${status === 0 ? failed : Math.max(failed, 1)} failed`)
  return status
}
