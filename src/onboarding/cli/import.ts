// npm run causeway -- import FILE: takes in a CSV file, works on its rows beside the servers, and reports.
import { createReadStream, createWriteStream } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { csv } from '../../kit/http/csv.ts'
import { readCsv } from '../../kit/process/read-csv.ts'
import { StartError } from '../../kit/process/start-error.ts'
import type { Actor } from '../domain/audit/audit.ts'
import { Failure } from '../domain/failure.ts'
import { type ImportRow, type RowDraft, rowMove, rowStatusOf } from '../domain/imports/import.ts'
import type { Flows } from '../flows.ts'
import { RowRequest, toDraft } from '../imports/http/import-row-schemas.ts'
import { progressAnswer } from '../imports/http/imports.ts'

export type ImportOptions = { file: string; tenant: string; name?: string; dryRun?: boolean; report?: string }

type Print = (value: object) => void

const operator: Actor = { kind: 'operator' }
const caller = { keyId: 'operator', tenant: undefined }

/** Small enough that a batch that is lost with its process costs a moment. */
const rowsInBatch = 200

/** The same file of the same tenant is the same import: a command that was killed is simply run again. */
export async function importFile(
  flows: Flows,
  { file, tenant, name = basename(file), dryRun = false, report }: ImportOptions,
  print: Print,
): Promise<void> {
  const id = await findOrCreate(flows, tenant, name)
  print({ importId: id, tenantId: tenant, name, dryRun })
  for await (const batch of batches(file)) {
    const drafts = batch.map(({ draft }) => draft)
    const taken = await flows.addImportRows({ caller, actor: operator, id, rows: drafts, dryRun }).catch(asStartError)
    for (const [at, row] of taken.entries()) if (row.problem) print({ line: batch[at]?.line, ...toldRow(row) })
  }
  if (dryRun) return
  await workUntilDone(flows, id, print)
  if (report) await writeReport(flows, id, report)
}

async function findOrCreate(flows: Flows, tenant: string, name: string): Promise<string> {
  for (let cursor: string | undefined; ; ) {
    const page = await flows.listImports({ caller, tenant, cursor, limit: 200 })
    const found = page.data.find((each) => each.name === name && !each.cancelledAt)
    if (found) return found.id
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  const created = await flows.createImport({ caller, actor: operator, tenant, name }).catch(asStartError)
  return created.import.id
}

type ReadRow = { line: number; draft: RowDraft }

async function* batches(file: string): AsyncGenerator<ReadRow[], void, undefined> {
  let header: Column[] | undefined
  let batch: ReadRow[] = []
  for await (const { line, cells } of readCsv(createReadStream(file, 'utf8'))) {
    if (!header) {
      header = columnsOf(cells)
      continue
    }
    batch.push({ line, draft: draftOf(line, header, cells) })
    if (batch.length < rowsInBatch) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
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

/** A cell is never repeated in an error: in a file without a header it may be a token. */
function columnsOf(cells: readonly string[]): Column[] {
  const unknown = cells.findIndex((cell) => !isColumn(cell))
  const known = `line 1 must name the columns: ${columns.join(', ')} and input.<name>`
  if (unknown >= 0) throw new StartError(`${known}; the name of column ${unknown + 1} is none of them`)
  const needed = ['key', 'integration', 'end_user_id', 'refresh_token'] as const
  const missing = needed.filter((name) => !cells.includes(name))
  if (missing.length > 0) throw new StartError(`${known}; there is no ${missing.join(', ')}`)
  if (new Set(cells).size < cells.length) throw new StartError(`${known}; one of them is there twice`)
  return cells as Column[]
}

function draftOf(line: number, header: readonly Column[], cells: readonly string[]): RowDraft {
  if (cells.length !== header.length)
    throw new StartError(`line ${line} has ${cells.length} cells, and line 1 ${header.length}`)
  const value = (name: Column) => cells[header.indexOf(name)] || undefined
  const inputs = header.flatMap((name) => {
    const given = name.startsWith('input.') ? value(name) : undefined
    return given === undefined ? [] : [[name.slice('input.'.length), given]]
  })
  const scopes = value('scopes')?.split(' ').filter(Boolean)
  const read = RowRequest.safeParse({
    key: value('key'),
    integrationId: value('integration'),
    endUser: given({ id: value('end_user_id'), displayName: value('end_user_name'), email: value('end_user_email') }),
    // An empty one is a row that is not valid, and not a file that is none.
    refreshToken: value('refresh_token') ?? '',
    inputs: Object.fromEntries(inputs),
    ...given({ accountId: value('account_id'), scopes }),
  })
  if (read.success) return toDraft(read.data)
  const where = read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
  throw new StartError(`line ${line}: ${where.join('; ')}`)
}

const given = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** Rows whose worker was killed are links whose lease has to run out first; the sweep takes those up. */
async function workUntilDone(flows: Flows, id: string, print: Print): Promise<void> {
  for (let told = 0; ; ) {
    const worked = (await flows.workOnImports()) + (await flows.sweepLinks())
    const progress = await flows.readImport({ caller, id })
    const isOver = progress.status !== 'pending'
    if (isOver || Date.now() - told > 10_000) {
      print(progressAnswer(progress))
      told = Date.now()
    }
    if (isOver) return
    if (worked === 0) await pause(1_000)
  }
}

async function writeReport(flows: Flows, id: string, file: string): Promise<void> {
  const out = createWriteStream(file, { mode: 0o600 })
  const write = async (rows: string[][]) => {
    if (!out.write(csv(rows))) await new Promise<void>((resolve) => out.once('drain', () => resolve()))
  }
  await write([['key', 'status', 'code', 'whose_move', 'link_id', 'connection_id']])
  for (let cursor: string | undefined; ; ) {
    const page = await flows.listImportRows({ caller, id, status: undefined, cursor, limit: 1_000 })
    await write(page.data.map((row) => Object.values(toldRow(row)).map((value) => value ?? '')))
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  await new Promise<void>((resolve, reject) => {
    out.once('error', reject)
    out.end(resolve)
  })
}

function toldRow(row: ImportRow) {
  const status = rowStatusOf(row)
  return {
    key: row.key,
    status,
    code: row.problem ?? (status === 'linked' ? undefined : row.cause),
    whoseMove: rowMove(row),
    linkId: row.state === 'started' ? row.linkId : undefined,
    connectionId: status === 'linked' ? row.connectionId : undefined,
  }
}

function asStartError(error: unknown): never {
  throw error instanceof Failure ? new StartError(error.detail) : error
}
