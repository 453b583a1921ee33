import { expect, test } from 'vitest'
import { readSource, sourceFiles } from './source-imports.ts'

const maxLines = 300

test(`no file in src is longer than ${maxLines} lines`, () => {
  const sizes = sourceFiles().map((file) => ({ file, lines: readSource(file).split('\n').length - 1 }))

  expect(sizes.filter(({ lines }) => lines > maxLines)).toEqual([])
})

const maxFiles = 25

test(`no folder in src has more than ${maxFiles} files, except migrations`, () => {
  const folders = sourceFiles()
    .filter((file) => !file.includes('/migrations/'))
    .map((file) => file.slice(0, file.lastIndexOf('/')))
  const crowded = [...new Set(folders)].filter(
    (folder) => folders.filter((other) => other === folder).length > maxFiles,
  )

  expect(crowded).toEqual([])
})
