// For the few statements that are most of what a program does: the server parses each once per connection, and the
// driver does for it only what it needs. Its own way describes the columns anew for every answer.
//
// Statements that are asked for in one turn of the event loop, or while a batch is under way, travel together: one
// connection, one packet each way, one commit. Each still is all or nothing, and none is told its rows before the
// commit. When the server refuses one of them it has undone all, and each is sent again alone. When the connection is
// lost, or nothing is heard in time, nobody knows what became of any of them, as it would be with one.
//
// The batch is a query class of the driver's own kind and speaks with its connection, which `pg` describes hardly
// anywhere: so its version is pinned exactly, and whoever changes it runs the tests of both ways first.
// `plainStatements` sends each statement alone by the driver's documented way.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { columnReader } from './column-types.ts'
import { ValueUnstorable } from './store-errors.ts'

export type Prepared = (statement: Statement, values: readonly WireValue[]) => Promise<unknown[]>

export type WireValue = string | number | boolean | Date | Buffer | readonly WireElement[] | null | undefined

type WireElement = string | number | Date

/** Made once and kept: values never stand in its text. */
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

/** More would make the first wait for the last. */
const mostTogether = 16
/** While one batch is under way, the next gathers: a commit for many costs hardly more than a commit for one. */
const mostUnderWay = 1
/** One that takes longer waits for somebody's lock, or for a server that is gone, and the others need not wait for it. */
const stuckMs = 25

export function preparedStatements(pool: pg.Pool): Prepared {
  const waiting: QueuedStatement[] = []
  let underWay = 0
  let looking = false

  const look = () => {
    looking = false
    while (waiting.length > 0 && (underWay < mostUnderWay || waiting.length >= mostTogether)) {
      sendCounted(waiting.splice(0, mostTogether))
    }
  }
  /** At the end of this turn, when everybody whose answer arrived in it has asked for what comes next. */
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
    const written = values.map(writtenValue) // now: what cannot be written must not reach the others
    try {
      return await new Promise((resolve, reject) => {
        waiting.push({ statement, values: written, resolve, reject })
        lookSoon()
      })
    } catch (error) {
      Error.captureStackTrace(error as Error) // the way back to who asked, where the driver leads to its socket
      throw error
    }
  }
}

/** The same promises without batches: the driver's own prepared statements, each in a transaction of its own. */
export function plainStatements(pool: pg.Pool): Prepared {
  return async ({ name, text }, values) => (await pool.query({ name, text, values: values.map(writtenValue) })).rows
}

function send(pool: pg.Pool, asked: QueuedStatement[], answered = () => {}): void {
  const batch = new Batch(asked)
  // The pool takes queries of any class; its types know of streams alone.
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

/**
 * A server that could not write what others asked for, as one whose disk is full, may have done so at the commit: what
 * changes something is then not sent again. What only reads is.
 */
const mayAskAgain = ({ statement }: QueuedStatement, asked: readonly QueuedStatement[], error: Error): boolean =>
  asked.length > 1 && isFromServer(error) && /^\s*select\b(?!.*\bfor (no key )?(update|share)\b)/is.test(statement.text)

/** SQLSTATE: five characters. Of a connection that died or was silent nothing is asked twice. */
const isFromServer = ({ code = '' }: Error & { code?: string }) => /^(?!08|57)[0-9A-Z]{5}$/.test(code)

/**
 * Classes of errors that a server tells instead of a commit, and after which the connection would live on. By code,
 * because the word for how grave it is comes in the server's language.
 */
const undone = /^(0A|2[0-46-9]|25\d|40001|40P01|42|44|53[124]|54|55|57014|P0)/
const wasUndone = ({ code = '' }: Error & { code?: string }) => undone.test(code)

type Column = { name: string; read(text: string): unknown }

/** What the driver's connection offers to a class of queries. */
type Wire = {
  stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: ReadonlyArray<string | null> }): void
  describe(message: { type: 'P' }): void
  execute(): void
  sync(): void
  sendCopyFail(message: string): void
}

/**
 * What a connection was told to parse, with the columns once they are known. By connection: one that is opened after a
 * migration may describe the same statement otherwise. The pool ends a connection whose query failed, so what is
 * written down here has been parsed.
 */
const parsed = new WeakMap<Wire, Map<string, Column[] | undefined>>()

class Batch implements pg.Submittable {
  /** Set by the driver, where it finds none. */
  callback: ((error?: Error | null) => void) | undefined
  readonly #asked: readonly QueuedStatement[]
  readonly #answered: Array<Array<Array<string | null>>>
  #known = new Map<string, Column[] | undefined>()
  /** Which of the statements the server speaks of. */
  #at = 0

  constructor(asked: readonly QueuedStatement[]) {
    this.#asked = asked
    this.#answered = asked.map(() => [])
  }

  submit(connection: unknown): null {
    const wire = connection as Wire
    this.#known = parsed.get(wire) ?? this.#known
    parsed.set(wire, this.#known)
    wire.stream.cork() // one packet, whatever it holds
    try {
      for (const { statement, values } of this.#asked) this.#send(wire, statement, values)
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
    return null
  }

  #send(wire: Wire, { name, text }: Statement, values: QueuedStatement['values']) {
    if (!this.#known.has(name)) {
      wire.parse({ name, text })
      this.#known.set(name, undefined)
    }
    wire.bind({ statement: name, values })
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

  /** So that the others do not wait behind it in a small pool. */
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

/** As PostgreSQL reads it: a list becomes an array of texts. */
function writtenValue(value: WireValue): string | null {
  if (value === null || value === undefined) return null
  const text = typeof value === 'object' ? writtenObject(value) : String(value)
  // The server would refuse it, and undo for nothing what travels with it.
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
