import { expect, test } from 'vitest'
import { readSource, sourceFiles } from './source-imports.ts'

const longest = 300

test(`no file in src is longer than ${longest} lines: it is read in one sitting`, () => {
  const sizes = sourceFiles().map((file) => ({ file, lines: readSource(file).split('\n').length - 1 }))

  expect(sizes.filter(({ lines }) => lines > longest)).toEqual([])
})
