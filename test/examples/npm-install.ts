import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Installs from the registry without running install scripts. */
export async function npmInstall(folder: string, ...packages: string[]): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--no-package-lock']
  // Not synchronous: the server of the packages may run in this process.
  await promisify(execFile)('npm', ['install', ...quiet, ...packages], { cwd: folder })
}

/** Installs packed versions of our packages, which are not in the registry yet. */
export function useTarballs(folder: string, tarballs: Record<string, string>): void {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  for (const [name, tarball] of Object.entries(tarballs)) manifest.dependencies[name] = `file:${tarball}`
  writeFileSync(file, JSON.stringify(manifest))
}
