/** Reading can't continue. Never quotes the file. */
export class CsvError extends Error {
  constructor(
    readonly line: number,
    readonly problem: string,
  ) {
    super(`line ${line}: ${problem}`)
  }
}

/** `line` is the first line of the row. A row with a mistake has no cells. */
export type CsvRow = { line: number; cells: string[]; mistake?: string }

/** A file with an unclosed quote must not be read into memory whole. */
const maxRowLength = 64 * 1024

/**
 * Reads RFC 4180, and also accepts LF, a byte order mark and empty lines. After a mistake in a row, reading continues
 * with the next line. (csv-parse 7 with `skip_records_with_error` loses the rows after a misplaced quote.)
 */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<CsvRow, void, undefined> {
  let line = 1
  let lines: string[] = []
  for await (const next of linesOf(chunks)) {
    lines.push(line === 1 && lines.length === 0 ? next.replace(/^\uFEFF/, '') : next)
    const text = lines.join('')
    if (text.length > maxRowLength) throw new CsvError(line, 'the row is too long, or a quote is not closed')
    const row = parseRow(text.replace(/\r?\n$/, ''))
    if (row === 'open') continue
    if (row) yield { line, ...row }
    line += lines.length
    lines = []
  }
  if (lines.length > 0) throw new CsvError(line, 'a quote is not closed')
}

/** Lines include their line break. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/(?<=\n)/)
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > maxRowLength) yield rest
  }
  if (rest !== '') yield rest
}

const quotedCell = /"((?:[^"]|"")*)("?)/y
const plainCell = /[^,]*/y

/** `open` if the row continues on the next line. Undefined for an empty line. */
function parseRow(text: string): Omit<CsvRow, 'line'> | 'open' | undefined {
  if (text === '') return undefined
  const cells: string[] = []
  for (let at = 0; at <= text.length; at++) {
    const cell = text[at] === '"' ? quotedCell : plainCell
    cell.lastIndex = at
    const [whole = '', content, closing] = cell.exec(text) ?? []
    if (closing === '') return 'open'
    at += whole.length
    if (content !== undefined && at < text.length && text[at] !== ',') {
      return { cells: [], mistake: 'text follows a closing quote' }
    }
    if (content === undefined && whole.includes('"')) {
      return { cells: [], mistake: 'a quote in the middle of a cell' }
    }
    cells.push(content === undefined ? whole : content.replaceAll('""', '"'))
  }
  return { cells }
}
