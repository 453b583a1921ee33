// `npm run set-version 0.4.0-dev`: sets the version of the program, its packages and its chart.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './set-up/folders.mjs'

const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+(-dev)?$/.test(version)) {
  console.error('usage: npm run set-version 0.4.0-dev')
  process.exit(1)
}

/** By PEP 440. */
const pythonVersion = version.replace('-dev', '.dev0')

const packages = ['packages/cli', 'packages/client', 'packages/connect']

for (const at of ['', ...packages]) changeJson(join(at, 'package.json'), setPackage)
changeJson('package-lock.json', (lock) => {
  lock.version = version
  for (const at of ['', ...packages]) setPackage(lock.packages[at])
})
changeText('deploy/helm/causeway/Chart.yaml', /^(appVersion: ).*$/m, '')
changeText('packages/cli/src/version.ts', /^(export const version = ').*'$/m, "'")
changeText('packages/client/src/transport.ts', /^(const version = ').*'$/m, "'")
changeText('packages/python/causeway/_version.py', /^(__version__ = ").*"$/m, '"', pythonVersion)
changeText('packages/python/README.md', /^(pip install .+\/causeway-).+$/m, '-py3-none-any.whl', pythonVersion)

/** @param {{ version: string, devDependencies?: Record<string, string> }} described */
function setPackage(described) {
  described.version = version
  if (described.devDependencies?.['@causeway/client']) described.devDependencies['@causeway/client'] = version
}

/**
 * @param {string} file
 * @param {(content: any) => void} change
 */
function changeJson(file, change) {
  const content = JSON.parse(readFileSync(join(root, file), 'utf8'))
  change(content)
  writeFileSync(join(root, file), `${JSON.stringify(content, null, 2)}\n`)
}

/**
 * @param {string} file
 * @param {RegExp} line
 * @param {string} end
 * @param {string} [value]
 */
function changeText(file, line, end, value = version) {
  const text = readFileSync(join(root, file), 'utf8')
  if (!line.test(text)) throw new Error(`${file} has no version`)
  writeFileSync(join(root, file), text.replace(line, `$1${value}${end}`))
}
