// `npm run test:previous [-- <commit> [<vitest arguments>]]`: runs the tests of an earlier release, by default the last one
// that is tagged, on today's schema. They fail if one of its statements no longer works. The programs are those of the
// commit; only the migrations are replaced.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm, runHere } from './set-up/commands.mjs'
import { root } from './set-up/folders.mjs'
import { runScript } from './set-up/set-up.mjs'

const migrations = [
  'src/kit/database/migrations.ts',
  'src/onboarding/adapters/postgres/migrations',
  'src/platform/shared/postgres/migrations.ts',
  'src/platform/shared/postgres/migrations',
]
await runScript(async () => {
  const [commit = lastRelease(), ...chosen] = process.argv.slice(2)
  if (commit === '') {
    process.stdout.write('No release is tagged. To compare with a commit: npm run test:previous -- <commit>\n')
    return 0
  }
  const checkout = mkdtempSync(join(tmpdir(), 'causeway-previous-'))
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', ['-C', root, ...args], { stdio: 'inherit' })
  git('worktree', 'add', '--detach', checkout, commit)
  try {
    for (const path of migrations) cpSync(join(root, path), join(checkout, path), { recursive: true })
    const status = await runHere([...npm('ci', '--prefix', checkout), '--no-audit', '--no-fund'])
    if (status !== 0) return status
    const vitest = join(checkout, 'node_modules/vitest/vitest.mjs')
    const tests = chosen.length > 0 ? chosen : ['test/onboarding', 'test/platform']
    const others = ['**/*.slow.test.ts', '**/upgrade.test.ts'].flatMap((each) => ['--exclude', each])
    return await runHere([process.execPath, vitest, 'run', '--root', checkout, ...others, ...tests])
  } finally {
    git('worktree', 'remove', '--force', checkout)
    rmSync(checkout, { recursive: true, force: true })
  }
})

function lastRelease() {
  const tags = ['tag', '--list', 'v*', '--sort=-version:refname', '--merged', 'HEAD']
  const [newest = ''] = execFileSync('git', ['-C', root, ...tags], { encoding: 'utf8' }).split('\n')
  return newest
}
