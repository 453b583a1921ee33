import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { documents, root } from './documents.ts'
import { type OldWord, oldWordsIn } from './old-words.ts'

/** Where an old word is the trade's own, or another's. By the start of a path and the words themselves. */
const allowed: Array<{ path: string; words: RegExp; reason: string }> = [
  { path: 'test/architecture/old-words.ts', words: /./, reason: 'the list itself' },
  {
    path: 'src/kit/database/prepared.ts',
    words: /type Prepared/,
    reason: 'runs prepared statements: the database’s own word',
  },
  { path: 'CHANGELOG.md', words: /./, reason: 'a release keeps the words it was announced with' },
]

const below = (folder: string, ending: RegExp): string[] =>
  readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !name.includes('node_modules') && !name.startsWith('vendor/'))
    .map((name) => `${folder}/${name}`)
    .sort()

const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const isAllowed = (path: string, found: string): boolean =>
  allowed.some((each) => path.startsWith(each.path) && each.words.test(found))

const findIn = (paths: readonly string[], within: ReadonlyArray<OldWord['within']>, textOf = read): string[] =>
  paths.flatMap((path) =>
    oldWordsIn(textOf(path), within)
      .filter((found) => !isAllowed(path, found))
      .map((found) => `${path} ${found}`),
  )

test.each([
  ['src', /\.ts$/],
  ['test', /\.ts$/],
  ['bench', /\.ts$/],
  ['scripts', /\.mjs$/],
] as const)('no file of %s uses a word that was dropped', (folder, ending) => {
  expect(findIn(below(folder, ending), [undefined, 'code'])).toEqual([])
})

test('no page and no style sheet uses a word that was dropped', () => {
  expect(findIn([...below('views', /\.ejs$/), ...below('public', /\.(?:css|js)$/)], [undefined, 'texts'])).toEqual([])
})

test('no document uses a word that was dropped', () => {
  expect(findIn(documents(), [undefined])).toEqual([])
})

test('no text of a page or of the API is in dialect', () => {
  const files = [
    ...below('src', /\.ts$/).filter((path) => /\/(?:http|domain|flows)\//.test(path)),
    ...below('src/contract', /\.ts$/),
  ]

  expect(findIn(files, ['texts'], stringsIn)).toEqual([])
})

/** The strings of a source file, each on its line; comments are for those who read the code. */
function stringsIn(path: string): string {
  const code = read(path).replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
  return code
    .split('\n')
    .map((line) => [...line.replace(/(^|\s)\/\/ .*$/, '').matchAll(/'[^']*'|"[^"]*"|`[^`]*`/g)].join(' '))
    .join('\n')
}
