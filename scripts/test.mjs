// `npm test [-- <vitest arguments>]`: set-up, lint, types and all tests except slow ones. `npm run test:slow` (`--slow`)
// runs only the slow ones. The last line is `N passed, N failed`.
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
  proxies,
  python,
  redis,
} from './set-up/steps.mjs'

/** @type {import('./set-up/commands.mjs').Command[]} */
const checks = [
  [installed('biome'), 'check', '.'],
  [installed('tsc'), '--noEmit', '--incremental', '--tsBuildInfoFile', join(setUpFolder, 'types.tsbuildinfo')],
  [process.execPath, 'scripts/generate.mjs', '--check'],
]

const isSlow = process.argv[2] === '--slow'
const args = isSlow
  ? ['--config', 'vitest.slow.config.ts', ...process.argv.slice(3)]
  : ['--exclude', '**/*.slow.test.ts', ...process.argv.slice(2)]

await runScript(async () => {
  await setUp([
    nodeVersion,
    dependencies,
    redis,
    bubblewrap,
    fastChromium,
    chromium,
    ...(isSlow ? [...proxies, ...python] : []),
  ])
  // In parallel: one check does not keep two cores busy.
  const statuses = isSlow ? [] : await Promise.all(checks.map((check) => runHere(check)))
  const status = statuses.find((each) => each !== 0)
  if (status !== undefined) return close({ passed: 0, failed: 1, status })
  await setUp([built])
  return close(await runTests())
})

async function runTests() {
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
    return { passed: 0, failed: 1 } // vitest ended before any test ran
  }
}

/** @param {{ passed: number, failed: number, status: number }} result */
function close({ passed, failed, status }) {
  // Errors outside tests make vitest fail even if all tests passed.
  console.log(`\n${passed} passed, ${status === 0 ? failed : Math.max(failed, 1)} failed`)
  return status
}
