/** A file that is no CSV; says where, and never what stands there. */
export class CsvError extends Error {
  constructor(
    readonly line: number,
    problem: string,
  ) {
    super(`line ${line}: ${problem}`)
  }
}

/** What one row may have at most: a file whose quote never closes must not be read into memory whole. */
const longestRow = 64 * 1024

/**
 * Rows of a CSV file as RFC 4180 has them, one after the other, with the line that each begins at. Lines may end in LF
 * alone, and a byte order mark is skipped; empty lines are left out.
 */
export async function* readCsv(
  chunks: AsyncIterable<string>,
): AsyncGenerator<{ line: number; cells: string[] }, void, undefined> {
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

type Row = { line: number; cells: string[] }

/** `quoted`: inside of quotes. `closing`: behind a quote, which ends the cell or is the first of two. */
type Mode = 'plain' | 'quoted' | 'closing'

class RowReader {
  #line = 1
  #begunAt = 1
  #cells: string[] = []
  #cell = ''
  #length = 0
  #mode: Mode = 'plain'
  #wasQuoted = false
  #isFirst = true

  take(sign: string): Row | undefined {
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
    if (sign === ',') return this.#endCell()
    if (sign === '"') return this.#quote()
    if (sign === '\r') return undefined
    if (this.#mode === 'closing') throw new CsvError(this.#line, 'text follows a closing quote')
    this.#cell += sign
    return undefined
  }

  end(): Row | undefined {
    if (this.#mode === 'quoted') throw new CsvError(this.#begunAt, 'a quote is not closed')
    return this.#endRow()
  }

  #quote(): undefined {
    if (this.#mode === 'closing') this.#cell += '"'
    else if (this.#cell !== '') throw new CsvError(this.#line, 'a quote stands in the middle of a cell')
    this.#mode = 'quoted'
    this.#wasQuoted = true
  }

  #endCell(): undefined {
    this.#cells.push(this.#cell)
    this.#cell = ''
    this.#mode = 'plain'
    this.#wasQuoted = false
  }

  #endRow(): Row | undefined {
    const isEmpty = this.#cells.length === 0 && this.#cell === '' && !this.#wasQuoted
    if (!isEmpty) this.#endCell()
    const row = { line: this.#begunAt, cells: this.#cells }
    this.#cells = []
    this.#mode = 'plain'
    this.#length = 0
    this.#begunAt = this.#line
    return isEmpty ? undefined : row
  }
}
