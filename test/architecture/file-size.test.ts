import { expect, test } from 'vitest'
import { readSource, sourceFiles } from './source-imports.ts'

const longest = 300

test(`no file in src is longer than ${longest} lines: it is read in one sitting`, () => {
  const sizes = sourceFiles().map((file) => ({ file, lines: readSource(file).split('\n').length - 1 }))

  expect(sizes.filter(({ lines }) => lines > longest)).toEqual([])
})

const mostFiles = 25

test(`no folder in src has more than ${mostFiles} files, steps of migrations aside`, () => {
  const folders = sourceFiles()
    .filter((file) => !file.includes('/migrations/'))
    .map((file) => file.slice(0, file.lastIndexOf('/')))
  const crowded = [...new Set(folders)].filter(
    (folder) => folders.filter((other) => other === folder).length > mostFiles,
  )

  expect(crowded).toEqual([])
})
