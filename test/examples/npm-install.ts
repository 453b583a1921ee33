import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installs from the registry without running install scripts. */
export function npmInstall(folder: string, ...packages: string[]): void {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--no-package-lock']
  execFileSync('npm', ['install', ...quiet, ...packages], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Installs packed versions of our packages, which are not in the registry yet. */
export function useTarballs(folder: string, tarballs: Record<string, string>): void {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  for (const [name, tarball] of Object.entries(tarballs)) manifest.dependencies[name] = `file:${tarball}`
  writeFileSync(file, JSON.stringify(manifest))
}
