import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installed, runQuietly } from './commands.mjs'
import { root, setUpFolder } from './folders.mjs'

const output = join(root, 'dist')
const next = join(root, 'dist-next')
const last = join(root, 'dist-last')
const stamp = '.built-from'

export function buildIsCurrent() {
  try {
    return readFileSync(join(output, stamp), 'utf8') === describeSources()
  } catch {
    return false
  }
}

/**
 * Builds beside and exchanges at the end: what runs from `dist` meanwhile never sees half a build or a stale file.
 * Types are not looked at, which takes ten times as long as the rest: `npm test` and `npm run check` do that.
 */
export async function build() {
  const sources = describeSources()
  rmSync(next, { recursive: true, force: true })
  rmSync(last, { recursive: true, force: true })
  const options = ['--noCheck', '--outDir', next, '--incremental', 'false', '--tsBuildInfoFile', 'null']
  await runQuietly([installed('tsc'), '-p', 'tsconfig.build.json', ...options], join(setUpFolder, 'build.log'))
  writeFileSync(join(next, stamp), sources)
  exchange()
}

function exchange() {
  try {
    renameSync(output, last)
  } catch {
    // the first build
  }
  renameSync(next, output)
  rmSync(last, { recursive: true, force: true })
}

/** Names, sizes and times instead of contents: it is asked at every start. */
function describeSources() {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => join('src', name))
  const files = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', ...sources.sort()]
  const hash = createHash('sha256')
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(root, file))
    hash.update(`${file}\n${size}\n${mtimeMs}\n`)
  }
  return hash.digest('hex')
}
