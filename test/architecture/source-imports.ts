import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const source = new URL('../../src/', import.meta.url).pathname

/** One import: both ends as paths in `src`, or the name of a package. */
export type Import = { from: string; to: string; ours: boolean; typesOnly: boolean }

export const sourceFiles = (): string[] =>
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()

export const readSource = (file: string): string => readFileSync(join(source, file), 'utf8')

// The clause of an import holds only names and braces, so a match never spans statements.
const statement = /^(?:import|export)\s+(type\s)?([\w\s{},*$]*?\bfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm

export function importsOf(file: string): Import[] {
  return [...readSource(file).matchAll(statement)].map(([, type, clause, named, called]) => {
    const to = named ?? called ?? ''
    const ours = to.startsWith('.')
    const typesOnly = type !== undefined || namesOnlyTypes(clause)
    return { from: file, to: ours ? posix.join(posix.dirname(file), to) : to, ours, typesOnly }
  })
}

/** `import { type A, type B } from` */
function namesOnlyTypes(clause = ''): boolean {
  const [, names = ''] = /^\s*\{([^}]*)\}/.exec(clause) ?? []
  const listed = names.split(',').filter((name) => name.trim() !== '')
  return listed.length > 0 && listed.every((name) => name.trim().startsWith('type '))
}
