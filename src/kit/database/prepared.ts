// For the few statements that are most of what a program does: the server parses each once per connection, and the
// driver does for it only what it needs. Its own way describes the columns anew for every answer.
import { createHash } from 'node:crypto'
import pg from 'pg'

export type Prepared = <Row>(statement: Statement, values: readonly WireValue[]) => Promise<Row[]>

export type WireValue = string | number | boolean | readonly string[] | null | undefined

/** Made once and kept: values never stand in its text. */
export class Statement {
  readonly name: string

  constructor(readonly text: string) {
    this.name = createHash('sha256').update(text).digest('base64url').slice(0, 20)
  }
}

export const preparedStatements =
  (pool: pg.Pool): Prepared =>
  async <Row>(statement: Statement, values: readonly WireValue[]) => {
    const query = new PreparedQuery(statement, values)
    await pool.query(query) // the pool waits for a query of any class; its types know of streams alone
    return query.rows() as Row[]
  }

type Column = { name: string; read(text: string): unknown }

/** What the driver's connection offers to a class of queries. */
type Wire = {
  stream: { cork(): void; uncork(): void }
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: readonly WireValue[]; valueMapper: typeof written }): void
  describe(message: { type: 'P' }): void
  execute(): void
  sync(): void
  sendCopyFail(message: string): void
}

/** By connection: one that is opened after a migration may describe the same statement otherwise. */
const described = new WeakMap<Wire, Map<string, Column[]>>()

class PreparedQuery implements pg.Submittable {
  readonly name: string
  readonly text: string
  /** Set by the driver, where it finds none. */
  callback: ((error?: Error | null) => void) | undefined
  readonly #values: readonly WireValue[]
  readonly #answered: Array<Array<string | null>> = []
  #columns: Column[] | undefined
  #learned: Map<string, Column[]> = new Map()

  constructor({ name, text }: Statement, values: readonly WireValue[]) {
    this.name = name
    this.text = text
    this.#values = values
  }

  submit(connection: unknown): null {
    const wire = connection as Wire
    this.#learned = described.get(wire) ?? this.#learned
    described.set(wire, this.#learned)
    this.#columns = this.#learned.get(this.name)
    wire.stream.cork() // one packet, not four
    try {
      this.#send(wire)
    } finally {
      wire.stream.uncork()
    }
    return null
  }

  #send(wire: Wire) {
    const { name, text } = this
    if (wire.parsedStatements[name] === undefined && wire.submittedNamedStatements[name] === undefined) {
      wire.parse({ name, text })
      wire.submittedNamedStatements[name] = text
    }
    wire.bind({ statement: name, values: this.#values, valueMapper: written })
    if (!this.#columns) wire.describe({ type: 'P' })
    wire.execute()
    wire.sync()
  }

  handleRowDescription({ fields }: { fields: Array<{ name: string; dataTypeID: number }> }) {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, read: pg.types.getTypeParser(dataTypeID, 'text') }))
    this.#learned.set(this.name, this.#columns)
  }

  handleDataRow({ fields }: { fields: Array<string | null> }) {
    this.#answered.push(fields)
  }

  handleReadyForQuery() {
    this.callback?.()
  }

  handleError(error: Error) {
    this.callback?.(error)
  }

  handleCommandComplete() {}

  handleEmptyQuery() {}

  handlePortalSuspended() {}

  handleCopyData() {}

  handleCopyInResponse(connection: Wire) {
    connection.sendCopyFail('not a statement that copies')
  }

  rows(): unknown[] {
    const columns = this.#columns ?? []
    return this.#answered.map((fields) => {
      const row: Record<string, unknown> = {}
      for (let at = 0; at < columns.length; at++) {
        const { name, read } = columns[at] as Column
        const text = fields[at] ?? null
        row[name] = text === null ? null : read(text)
      }
      return row
    })
  }
}

/** As PostgreSQL reads it: a list becomes an array of texts. */
function written(value: WireValue): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'object') return `{${value.map(quoted).join(',')}}`
  return String(value)
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

/** Collects the values of a statement while its text is written. */
export class Parameters {
  readonly values: unknown[] = []

  add(value: unknown): string {
    return `$${this.values.push(value)}`
  }
}
