import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = new URL('../../', import.meta.url)

export const readDocument = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** All Markdown files, by path from the root. */
export function documents(): string[] {
  const top = readdirSync(root).filter((name) => name.endsWith('.md'))
  const below = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
  return [...top, ...below.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)].sort()
}

/** The cells of table rows whose first cell matches the pattern. */
export const tableRows = (text: string, first: RegExp): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))
    .filter(([cell = '']) => first.test(cell))

/** Absolute paths of files whose name matches the pattern. */
export function filesBelow(folder: string, ending: RegExp): string[] {
  const names = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => ending.test(name)).map((name) => fileURLToPath(new URL(`${folder}/${name}`, root)))
}
