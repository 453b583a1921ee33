// Reads a CSV file of grants. Errors never contain a cell, which may be a token.
import { createReadStream } from 'node:fs'
import { CsvError, type CsvRow, readCsv } from '../../kit/process/read-csv.ts'
import { StartError } from '../../kit/process/start-error.ts'
import type { RowDraft } from '../domain/imports/import.ts'
import { plainWords } from '../http/input-words.ts'
import { RowRequest, toDraft } from '../imports/http/import-row-schemas.ts'

type ReadRow = { line: number; draft: RowDraft }

/** `isLast`: the rest of the file could not be read. */
type MalformedLine = { line: number; malformed: string; isLast: boolean }

const rowsInBatch = 200

export async function* readBatches(file: string): AsyncGenerator<ReadRow[], void, undefined> {
  let batch: ReadRow[] = []
  for await (const row of readRows(file)) {
    if ('malformed' in row) continue
    batch.push(row)
    if (batch.length < rowsInBatch) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

export async function* readMalformed(file: string): AsyncGenerator<MalformedLine, void, undefined> {
  for await (const row of readRows(file)) if ('malformed' in row) yield row
}

async function* readRows(file: string): AsyncGenerator<ReadRow | MalformedLine, void, undefined> {
  let header: Column[] | undefined
  try {
    for await (const row of readCsv(createReadStream(file, 'utf8'))) {
      if (header) yield readRow(header, row)
      else header = columnsOf(row)
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    yield { line: error.line, malformed: `${error.problem}, so the rest of the file was not read`, isLast: true }
  }
}

const columns = [
  'key',
  'integration',
  'end_user_id',
  'end_user_name',
  'end_user_email',
  'account_id',
  'refresh_token',
  'scopes',
] as const

type Column = (typeof columns)[number] | `input.${string}`

const isColumn = (text: string): text is Column =>
  (columns as readonly string[]).includes(text) || /^input\.\w{1,100}$/.test(text)

function columnsOf({ cells, mistake }: CsvRow): Column[] {
  if (mistake !== undefined) throw new StartError(`line 1: ${mistake}`)
  const unknown = cells.findIndex((cell) => !isColumn(cell))
  const known = `line 1 must name the columns: ${columns.join(', ')} and input.<name>`
  if (unknown >= 0) throw new StartError(`${known}; the name of column ${unknown + 1} is unknown`)
  const needed = ['key', 'integration', 'end_user_id', 'refresh_token'] as const
  const missing = needed.filter((name) => !cells.includes(name))
  if (missing.length > 0) throw new StartError(`${known}; missing: ${missing.join(', ')}`)
  if (new Set(cells).size < cells.length) throw new StartError(`${known}; a column is repeated`)
  return cells as Column[]
}

function readRow(header: readonly Column[], { line, cells, mistake }: CsvRow): ReadRow | MalformedLine {
  const malformed = (words: string): MalformedLine => ({ line, malformed: words, isLast: false })
  if (mistake !== undefined) return malformed(mistake)
  if (cells.length !== header.length) {
    return malformed(`has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, but line 1 has ${header.length}`)
  }
  const read = RowRequest.safeParse(rowOf(header, cells), { error: plainWords })
  if (read.success) return { line, draft: toDraft(read.data) }
  return malformed(read.error.issues.map(({ path, message }) => `${columnAt(path)} ${message}`).join('; '))
}

function rowOf(header: readonly Column[], cells: readonly string[]): object {
  const value = (name: Column) => cells[header.indexOf(name)] || undefined
  const inputs = header.flatMap((name) => {
    const given = name.startsWith('input.') ? value(name) : undefined
    return given === undefined ? [] : [[name.slice('input.'.length), given]]
  })
  const scopes = value('scopes')?.split(' ').filter(Boolean)
  return {
    key: value('key'),
    integrationId: value('integration'),
    endUser: given({ id: value('end_user_id'), displayName: value('end_user_name'), email: value('end_user_email') }),
    // An empty token is an invalid row, not a malformed line.
    refreshToken: value('refresh_token') ?? '',
    inputs: Object.fromEntries(inputs),
    ...given({ accountId: value('account_id'), scopes }),
  }
}

const given = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

function columnAt([member, inner]: readonly PropertyKey[]): string {
  if (member === 'inputs') return `input.${String(inner)}`
  return columnOf[member === 'endUser' ? `endUser.${String(inner)}` : String(member)] ?? String(member)
}

const columnOf: Readonly<Record<string, Column>> = {
  key: 'key',
  integrationId: 'integration',
  'endUser.id': 'end_user_id',
  'endUser.displayName': 'end_user_name',
  'endUser.email': 'end_user_email',
  accountId: 'account_id',
  refreshToken: 'refresh_token',
  scopes: 'scopes',
}
