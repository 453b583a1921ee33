// npm run causeway -- import FILE: takes in a CSV file, works on its rows beside the servers, and reports.
import { createWriteStream } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { csv } from '../../kit/http/csv.ts'
import { StartError } from '../../kit/process/start-error.ts'
import type { Actor } from '../domain/audit/audit.ts'
import { Failure } from '../domain/failure.ts'
import { type ImportRow, rowMove, rowStatusOf } from '../domain/imports/import.ts'
import type { Flows } from '../flows.ts'
import { progressAnswer } from '../imports/http/imports.ts'
import { readBatches, readMalformed } from './import-file.ts'

export type ImportOptions = {
  file: string
  tenant: string
  name?: string
  dryRun?: boolean
  /** Takes in the other lines of a file that has malformed ones. */
  skipMalformed?: boolean
  report?: string
}

type Print = (value: object) => void

const operator: Actor = { kind: 'operator' }
const caller = { keyId: 'operator', tenant: undefined }

/** The same file of the same tenant is the same import: a command that was killed is simply run again. */
export async function importFile(
  flows: Flows,
  { file, tenant, name = basename(file), dryRun = false, skipMalformed = false, report }: ImportOptions,
  print: Print,
): Promise<void> {
  const malformed = await tellMalformed(file, dryRun || skipMalformed, print)
  const id = await findOrCreate(flows, tenant, name)
  print({ importId: id, tenantId: tenant, name, dryRun })
  await takeIn(flows, { file, id, dryRun }, print)
  if (!dryRun) await workUntilDone(flows, id, print)
  if (!dryRun && report) await writeReport(flows, id, report)
  if (malformed > 0) throw new StartError(`${malformedLines(malformed)}${dryRun ? '' : '; the others were taken in'}`)
}

type TakeIn = { file: string; id: string; dryRun: boolean }

async function takeIn(flows: Flows, { file, id, dryRun }: TakeIn, print: Print): Promise<void> {
  for await (const batch of readBatches(file)) {
    const rows = batch.map(({ draft }) => draft)
    const taken = await flows.addImportRows({ caller, actor: operator, id, rows, dryRun }).catch(asStartError)
    for (const [at, row] of taken.entries()) if (row.problem) print({ line: batch[at]?.line, ...toldRow(row) })
  }
}

/** The whole file is read before anything of it is taken in, so that all of its mistakes are known at once. */
async function tellMalformed(file: string, mayGoOn: boolean, print: Print): Promise<number> {
  let count = 0
  let isReadable = true
  for await (const { line, malformed, isLast } of readMalformed(file)) {
    print({ line, malformed })
    count++
    if (isLast) isReadable = false
  }
  if (count === 0 || (mayGoOn && isReadable)) return count
  const others = isReadable ? ', or take in the others with --skip-malformed' : ''
  throw new StartError(
    `${malformedLines(count)}, and nothing was taken in: correct ${count === 1 ? 'it' : 'them'}${others}`,
  )
}

const malformedLines = (count: number) => (count === 1 ? 'one line is malformed' : `${count} lines are malformed`)

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
