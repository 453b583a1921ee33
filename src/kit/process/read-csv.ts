/** A file that is no CSV; says where, and never what stands there. */
export class CsvError extends Error {
  constructor(
    readonly line: number,
    readonly problem: string,
  ) {
    super(`line ${line}: ${problem}`)
  }
}

/** What one row may have at most: a file whose quote never closes must not be read into memory whole. */
const longestRow = 64 * 1024

/**
 * Rows of a CSV file as RFC 4180 has them, one after the other, with the line that each begins at. Lines may end in LF
 * alone, and a byte order mark is skipped; empty lines are left out. Behind a mistake in a row, reading goes on with the
 * next line; only a quote that is never closed leaves no next line to go on with, and is thrown.
 */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<CsvRow, void, undefined> {
  const reader = new RowReader()
  for await (const chunk of chunks) {
    for (const sign of chunk) {
      const row = reader.take(sign)
      if (row) yield row
    }
  }
  const last = reader.end()
  if (last) yield last
}

/** One with a mistake has no cells. */
export type CsvRow = { line: number; cells: string[]; mistake?: string }

/**
 * `quoted`: inside of quotes. `closing`: behind a quote, which ends the cell or is the first of two. `skipping`: behind
 * a mistake, up to the end of the line.
 */
type Mode = 'plain' | 'quoted' | 'closing' | 'skipping'

class RowReader {
  #line = 1
  #begunAt = 1
  #cells: string[] = []
  #cell = ''
  #length = 0
  #mode: Mode = 'plain'
  #wasQuoted = false
  #isFirst = true
  #mistake: string | undefined

  take(sign: string): CsvRow | undefined {
    if (this.#isFirst) {
      this.#isFirst = false
      if (sign === '\uFEFF') return undefined
    }
    if (++this.#length > longestRow) throw new CsvError(this.#begunAt, 'the row is too long, or a quote is not closed')
    if (sign === '\n') this.#line++
    if (this.#mode === 'quoted') {
      if (sign === '"') this.#mode = 'closing'
      else this.#cell += sign
      return undefined
    }
    if (sign === '\n') return this.#endRow()
    if (this.#mode === 'skipping') return undefined
    if (sign === ',') return this.#endCell()
    if (sign === '"') return this.#quote()
    if (sign === '\r') return undefined
    if (this.#mode === 'closing') return this.#skip('text follows a closing quote')
    this.#cell += sign
    return undefined
  }

  end(): CsvRow | undefined {
    if (this.#mode === 'quoted') throw new CsvError(this.#begunAt, 'a quote is not closed')
    return this.#endRow()
  }

  #quote(): undefined {
    if (this.#mode === 'closing') this.#cell += '"'
    else if (this.#cell !== '') return this.#skip('a quote stands in the middle of a cell')
    this.#mode = 'quoted'
    this.#wasQuoted = true
  }

  #skip(mistake: string): undefined {
    this.#mistake = mistake
    this.#mode = 'skipping'
  }

  #endCell(): undefined {
    this.#cells.push(this.#cell)
    this.#cell = ''
    this.#mode = 'plain'
    this.#wasQuoted = false
  }

  #endRow(): CsvRow | undefined {
    const mistake = this.#mistake
    const isEmpty = this.#cells.length === 0 && this.#cell === '' && !this.#wasQuoted
    if (!isEmpty) this.#endCell()
    const line = this.#begunAt
    const row = mistake === undefined ? { line, cells: this.#cells } : { line, cells: [], mistake }
    this.#cells = []
    this.#mistake = undefined
    this.#mode = 'plain'
    this.#length = 0
    this.#begunAt = this.#line
    return isEmpty ? undefined : row
  }
}
