import { createWriteStream } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { csv } from '../../kit/http/csv.ts'
import { StartError } from '../../kit/process/start-error.ts'
import { type ImportRow, rowMove, rowStatusOf } from '../domain/imports/import.ts'
import type { Deps } from '../domain/ports/ports.ts'
import { pagesOf } from '../flows/pages-of.ts'
import { addImportRows } from '../imports/flows/add-import-rows.ts'
import { createImport, listImportRows, listImports, readImport } from '../imports/flows/manage-imports.ts'
import { workOnImports } from '../imports/flows/work-on-imports.ts'
import { progressAnswer } from '../imports/http/imports.ts'
import { sweepLinks } from '../provisioning/flows/sweep-links.ts'
import { readBatches, readMalformed } from './import-file.ts'
import { caller, operator, type Print } from './keys.ts'

type ImportOptions = {
  file: string
  tenant: string
  name?: string
  dryRun?: boolean
  /** Import the valid lines of a file with malformed ones. */
  skipMalformed?: boolean
  report?: string
}

/** The same file of the same tenant continues the same import, so a killed command can be run again. */
export async function importFile(
  deps: Deps,
  { file, tenant, name = basename(file), dryRun = false, skipMalformed = false, report }: ImportOptions,
  print: Print,
): Promise<void> {
  const malformed = await reportMalformed(file, dryRun || skipMalformed, print)
  const id = await findOrCreate(deps, tenant, name)
  print({ importId: id, tenantId: tenant, name, dryRun })
  await addRows(deps, { file, id, dryRun }, print)
  if (!dryRun) await workUntilDone(deps, id, print)
  if (!dryRun && report) await writeReport(deps, id, report)
  if (malformed > 0) throw new StartError(`${malformedLines(malformed)}${dryRun ? '' : '; the others were imported'}`)
}

async function addRows(
  { ports }: Deps,
  { file, id, dryRun }: { file: string; id: string; dryRun: boolean },
  print: Print,
): Promise<void> {
  for await (const batch of readBatches(file)) {
    const rows = batch.map(({ draft }) => draft)
    const taken = await addImportRows(ports, { caller, actor: operator, id, rows, dryRun })
    for (const [at, row] of taken.entries()) if (row.problem) print({ line: batch[at]?.line, ...reportedRow(row) })
  }
}

/** Reads the whole file first, so that all errors are reported before any row is imported. */
async function reportMalformed(file: string, mayContinue: boolean, print: Print): Promise<number> {
  let count = 0
  let isReadable = true
  for await (const { line, malformed, isLast } of readMalformed(file)) {
    print({ line, malformed })
    count++
    if (isLast) isReadable = false
  }
  if (count === 0 || (mayContinue && isReadable)) return count
  const others = isReadable ? ', or import the others with --skip-malformed' : ''
  throw new StartError(
    `${malformedLines(count)}, and nothing was imported: correct ${count === 1 ? 'it' : 'them'}${others}`,
  )
}

const malformedLines = (count: number) => (count === 1 ? 'one line is malformed' : `${count} lines are malformed`)

async function findOrCreate({ ports }: Deps, tenant: string, name: string): Promise<string> {
  for await (const imports of pagesOf((cursor) => listImports(ports, { caller, tenant, cursor, limit: 200 }))) {
    const found = imports.find((each) => each.name === name && !each.cancelledAt)
    if (found) return found.id
  }
  const created = await createImport(ports, { caller, actor: operator, tenant, name })
  return created.import.id
}

/** Rows of a killed worker wait until the lease of their link ends; then the sweep resumes them. */
async function workUntilDone({ ports, settings }: Deps, id: string, print: Print): Promise<void> {
  for (let reportedAt = 0; ; ) {
    const worked = (await workOnImports(ports, settings)) + (await sweepLinks(ports, settings))
    const progress = await readImport(ports, { caller, id })
    const isOver = progress.status !== 'pending'
    if (isOver || Date.now() - reportedAt > 10_000) {
      print(progressAnswer(progress))
      reportedAt = Date.now()
    }
    if (isOver) return
    if (worked === 0) await pause(1_000)
  }
}

async function writeReport({ ports }: Deps, id: string, file: string): Promise<void> {
  const out = createWriteStream(file, { mode: 0o600 })
  const write = async (rows: string[][]) => {
    if (!out.write(csv(rows))) await new Promise<void>((resolve) => out.once('drain', () => resolve()))
  }
  await write([['key', 'status', 'code', 'whose_move', 'link_id', 'connection_id']])
  const query = { caller, id, status: undefined, limit: 1_000 }
  for await (const rows of pagesOf((cursor) => listImportRows(ports, { ...query, cursor }))) {
    await write(rows.map((row) => Object.values(reportedRow(row)).map((value) => value ?? '')))
  }
  await new Promise<void>((resolve, reject) => {
    out.once('error', reject)
    out.end(resolve)
  })
}

function reportedRow(row: ImportRow) {
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
