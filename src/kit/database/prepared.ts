// Prepared statements in batches (docs/decisions/0011-statements-in-batches.md). Statements of one turn of the event
// loop, or queued during a batch, share a connection, a packet each way and a commit. If the server rejects one, it has
// rolled all back, and each is sent again on its own. If the connection is lost, the outcome of all is unknown.
// The batch implements the query interface of `pg`, which is hardly documented: its version is pinned, and tests run
// both ways. `plainStatements` uses only documented API.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { columnReader } from './column-types.ts'
import { isTransactionPool } from './pooler.ts'
import { ValueUnstorable } from './store-errors.ts'

export type Prepared = (statement: Statement, values: readonly WireValue[]) => Promise<unknown[]>

export type WireValue = string | number | boolean | Date | Buffer | readonly WireElement[] | null | undefined

type WireElement = string | number | Date

/** Create it once. Its text never contains values. */
export class Statement {
  readonly name: string

  constructor(readonly text: string) {
    this.name = createHash('sha256').update(text).digest('base64url').slice(0, 20)
  }
}

type QueuedStatement = {
  statement: Statement
  values: ReadonlyArray<string | null>
  resolve(rows: unknown[]): void
  reject(error: Error): void
}

/** In a larger batch the first statement would wait for the last. */
const maxBatchSize = 16
/** The next batch gathers while one is in progress: a commit for many costs hardly more than for one. */
const maxBatches = 1
/** A slower batch waits for a lock or a lost server; the next one need not wait for it. */
const stuckMs = 25

export function preparedStatements(pool: pg.Pool): Prepared {
  const waiting: QueuedStatement[] = []
  let underWay = 0
  let looking = false

  const look = () => {
    looking = false
    while (waiting.length > 0 && (underWay < maxBatches || waiting.length >= maxBatchSize)) {
      sendCounted(waiting.splice(0, maxBatchSize))
    }
  }
  /** At the end of this turn, when all callers whose results arrived in it have queued their next statement. */
  const lookSoon = () => {
    if (looking) return
    looking = true
    setImmediate(look)
  }
  const sendCounted = (asked: QueuedStatement[]) => {
    underWay++
    let counted = true
    const uncount = () => {
      clearTimeout(stuck)
      if (counted) underWay--
      counted = false
      if (waiting.length > 0) lookSoon()
    }
    const stuck = setTimeout(uncount, stuckMs)
    send(pool, asked, uncount)
  }
  return async (statement, values) => {
    const written = values.map(writtenValue) // before queueing: an invalid value must not fail the batch
    try {
      return await new Promise((resolve, reject) => {
        waiting.push({ statement, values: written, resolve, reject })
        lookSoon()
      })
    } catch (error) {
      Error.captureStackTrace(error as Error) // the caller's stack instead of the socket's
      throw error
    }
  }
}

/** Sends each statement on its own, by the prepared statements of the driver. */
export function plainStatements(pool: pg.Pool): Prepared {
  return async ({ name, text }, values) => (await pool.query({ name, text, values: values.map(writtenValue) })).rows
}

function send(pool: pg.Pool, asked: QueuedStatement[], answered = () => {}): void {
  const batch = new Batch(asked, !isTransactionPool(pool))
  // The pool accepts any query class; its types only know streams.
  const query = pool.query as unknown as (batch: Batch, done: (error?: Error | null) => void) => void
  query.call(pool, batch, (error) => {
    answered()
    if (error) onFailure(pool, batch, asked, error)
    else batch.answer()
  })
}

function onFailure(pool: pg.Pool, batch: Batch, asked: QueuedStatement[], error: Error): void {
  const isUndone = asked.length > 1 && wasUndone(error)
  for (const one of isUndone ? batch.refusedLast() : asked) {
    if (isUndone || mayAskAgain(one, asked, error)) send(pool, [one])
    else one.reject(error)
  }
}

/** The error may be from the commit, such as a full disk, so only reads are sent again. */
const mayAskAgain = ({ statement }: QueuedStatement, asked: readonly QueuedStatement[], error: Error): boolean =>
  asked.length > 1 && isFromServer(error) && /^\s*select\b(?!.*\bfor (no key )?(update|share)\b)/is.test(statement.text)

/** A SQLSTATE. Nothing is sent again after a lost or silent connection. */
const isFromServer = ({ code = '' }: Error & { code?: string }) => /^(?!08|57)[0-9A-Z]{5}$/.test(code)

/** Classes of errors that mean a rollback and leave the connection usable. Severity words are localized, codes are not. */
const undone = /^(0A|2[0-46-9]|25\d|40001|40P01|42|44|53[124]|54|55|57014|P0)/
const wasUndone = ({ code = '' }: Error & { code?: string }) => undone.test(code)

type Column = { name: string; read(text: string): unknown }

/** The part of the driver's connection that a query class uses. */
type Wire = {
  stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: ReadonlyArray<string | null> }): void
  describe(message: { type: 'P' }): void
  execute(): void
  sync(): void
  sendCopyFail(message: string): void
}

/** Parsed statements with their columns. Per connection, because a migration may change the columns. */
const parsed = new WeakMap<Wire, Map<string, Column[] | undefined>>()

class Batch implements pg.Submittable {
  callback: ((error?: Error | null) => void) | undefined
  readonly #asked: readonly QueuedStatement[]
  readonly #isNamed: boolean
  readonly #answered: Array<Array<Array<string | null>>>
  #known = new Map<string, Column[] | undefined>()
  /** Index of the statement that the server is answering. */
  #at = 0

  constructor(asked: readonly QueuedStatement[], isNamed: boolean) {
    this.#asked = asked
    this.#isNamed = isNamed
    this.#answered = asked.map(() => [])
  }

  submit(connection: unknown): null {
    const wire = connection as Wire
    if (this.#isNamed) {
      this.#known = parsed.get(wire) ?? this.#known
      parsed.set(wire, this.#known)
    }
    wire.stream.cork() // one packet
    try {
      for (const { statement, values } of this.#asked) this.#send(wire, statement, values)
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
    return null
  }

  #send(wire: Wire, { name, text }: Statement, values: QueuedStatement['values']) {
    const sentName = this.#isNamed ? name : ''
    if (!this.#isNamed || !this.#known.has(name)) {
      wire.parse({ name: sentName, text })
      this.#known.set(name, undefined)
    }
    wire.bind({ statement: sentName, values })
    if (!this.#known.get(name)) wire.describe({ type: 'P' })
    wire.execute()
  }

  handleRowDescription({ fields }: { fields: Array<{ name: string; dataTypeID: number }> }) {
    const columns = fields.map(({ name, dataTypeID }) => ({ name, read: columnReader(dataTypeID) }))
    this.#known.set(this.#asked[this.#at]?.statement.name ?? '', columns)
  }

  handleDataRow({ fields }: { fields: Array<string | null> }) {
    this.#answered[this.#at]?.push(fields)
  }

  handleCommandComplete() {
    this.#at++
  }

  handleEmptyQuery() {
    this.#at++
  }

  handleReadyForQuery() {
    this.callback?.()
  }

  handleError(error: Error) {
    this.callback?.(error)
  }

  handlePortalSuspended() {}

  handleCopyData() {}

  handleCopyInResponse(connection: Wire) {
    connection.sendCopyFail('not a statement that copies')
  }

  answer(): void {
    for (let at = 0; at < this.#asked.length; at++) {
      const { statement, resolve, reject } = this.#asked[at] as QueuedStatement
      const columns = this.#known.get(statement.name) ?? []
      try {
        resolve((this.#answered[at] ?? []).map((fields) => rowOf(columns, fields)))
      } catch (error) {
        reject(error as Error)
      }
    }
  }

  /** So that the others don't wait behind it in a small pool. */
  refusedLast(): QueuedStatement[] {
    const refused = this.#asked[this.#at]
    return [...this.#asked.filter((one) => one !== refused), ...(refused ? [refused] : [])]
  }
}

function rowOf(columns: Column[], fields: Array<string | null>): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < columns.length; at++) {
    const { name, read } = columns[at] as Column
    const text = fields[at] ?? null
    row[name] = text === null ? null : read(text)
  }
  return row
}

/** In the text format of PostgreSQL; a list becomes an array. */
function writtenValue(value: WireValue): string | null {
  if (value === null || value === undefined) return null
  const text = typeof value === 'object' ? writtenObject(value) : String(value)
  // The server would reject it, and roll back the whole batch.
  if (text.includes('\0')) throw new ValueUnstorable('a text holds a zero byte', '22021')
  return text
}

function writtenObject(value: Date | Buffer | readonly WireElement[]): string {
  if (value instanceof Date) return value.toISOString()
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : `{${value.map(quoted).join(',')}}`
}

function quoted(each: WireElement): string {
  const text = each instanceof Date ? each.toISOString() : String(each)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
