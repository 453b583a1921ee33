import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { jsonFile } from '../../src/kit/process/json-setting.ts'

const Prices = jsonFile(z.record(z.string(), z.object({ price: z.number('is no number') })))

const complaints = (content: unknown) => {
  const path = join(mkdtempSync(join(tmpdir(), 'json-setting-')), 'prices.json')
  writeFileSync(path, JSON.stringify(content))
  return Prices.safeParse(path).error?.issues.map(({ message }) => message)
}

test('what is wrong in a file is said by a pointer that a program can follow, whatever its members are called', () => {
  expect(complaints({ 'models/large~1': { price: 'high' } })).toEqual([
    'in the file, at /models~1large~01/price: is no number',
  ])
})

test('a file that is wrong as a whole has no place to point to', () => {
  expect(complaints([])).toEqual(['in the file: Invalid input: expected record, received array'])
})
