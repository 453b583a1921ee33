import { expect, test } from 'vitest'
import { type CsvRow, readCsv } from '../../src/kit/process/read-csv.ts'

async function read(...chunks: string[]) {
  const rows: CsvRow[] = []
  async function* all() {
    yield* chunks
  }
  for await (const row of readCsv(all())) rows.push(row)
  return rows
}

const cells = async (...chunks: string[]) => (await read(...chunks)).map((row) => row.cells)

test.each([
  [
    'lines with CRLF',
    'a,b\r\nc,d\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'lines with LF, without a final one',
    'a,b\nc,d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['quotes around commas, quotes and line breaks', '"a,1","say ""hi""","x\r\ny"\n', [['a,1', 'say "hi"', 'x\r\ny']]],
  [
    'empty cells',
    'a,,\n,b,\n',
    [
      ['a', '', ''],
      ['', 'b', ''],
    ],
  ],
  ['one empty quoted cell', '""\n', [['']]],
  ['empty lines, which are skipped', '\n\na\n\r\nb\n', [['a'], ['b']]],
  ['a byte order mark', '\uFEFFa,b\n', [['a', 'b']]],
  ['nothing', '', []],
] as const)('%s', async (_, text, expected) => {
  expect(await cells(text)).toEqual(expected)
  expect(await cells(...text)).toEqual(expected)
})

test('a row has the number of its first line', async () => {
  expect(await read('a\n"b\nc"\nd\n')).toEqual([
    { line: 1, cells: ['a'] },
    { line: 2, cells: ['b\nc'] },
    { line: 4, cells: ['d'] },
  ])
})

test.each([
  ['an unclosed quote', 'a\n"secret', /^line 2: a quote is not closed$/],
  ['a row without an end', `a\n"${'secret'.repeat(20_000)}`, /^line 2: the row is too long, or a quote is not closed$/],
])('%s is reported by line, without quoting it', async (_, text, problem) => {
  await expect(read(text)).rejects.toThrow(problem)
})

test.each([
  ['text after a quote', '"a"secret,"b\n', 'text follows a closing quote'],
  ['a quote in a cell', 'secret"x",b\n', 'a quote in the middle of a cell'],
])('%s fails only its row, without quoting it', async (_, text, mistake) => {
  expect(await read(`a\n${text}c\n`)).toEqual([
    { line: 1, cells: ['a'] },
    { line: 2, cells: [], mistake },
    { line: 3, cells: ['c'] },
  ])
})
