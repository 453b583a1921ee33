// SQL templates: values become parameters, fragments compose, and rows are parsed. Not a query builder.
import pg from 'pg'
import type { z } from 'zod'
import { type Prepared, Statement, type WireValue } from './prepared.ts'
import { unreadable } from './stored.ts'

/** Without undefined, which is more often a mistake than a null. */
export type SqlValue = Exclude<WireValue, undefined>

/** The text of a fragment, split at its values. */
class Shape {
  #text: string | undefined
  #statement: Statement | undefined

  constructor(readonly pieces: readonly string[]) {}

  get text(): string {
    this.#text ??= this.pieces.reduce((text, piece, at) => `${text}$${at}${piece}`)
    return this.#text
  }

  get statement(): Statement {
    this.#statement ??= statementOf(this.text)
    return this.#statement
  }
}

/** Cached: the name of a statement is a digest. The number of texts in the code is small. */
const statements = new Map<string, Statement>()

function statementOf(text: string): Statement {
  const known = statements.get(text) ?? new Statement(text)
  statements.set(text, known)
  return known
}

/** A statement, or a fragment of one. */
export class Sql {
  constructor(
    readonly shape: Shape,
    readonly values: readonly SqlValue[],
    readonly isPrepared = false,
  ) {}

  /** Never contains values, so it is safe to log. */
  get text(): string {
    return this.shape.text
  }
}

type Part = SqlValue | Sql

/** Cached shapes of templates with constant fragments. */
const shapes = new WeakMap<readonly string[], { constants: ReadonlyArray<Sql | undefined>; shape: Shape }>()

function template(strings: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  const known = shapes.get(strings)
  if (known && parts.every((part, at) => (part instanceof Sql ? part : undefined) === known.constants[at])) {
    return new Sql(known.shape, parts.filter(isValue))
  }
  const whole = compose(strings, parts)
  if (parts.every((part) => isValue(part) || part.values.length === 0)) {
    shapes.set(strings, {
      constants: parts.map((part) => (part instanceof Sql ? part : undefined)),
      shape: whole.shape,
    })
  }
  return whole
}

const isValue = (part: Part): part is SqlValue => !(part instanceof Sql)

function compose(strings: readonly string[], parts: readonly Part[]): Sql {
  const pieces: string[] = []
  const values: SqlValue[] = []
  let last = strings[0] ?? ''
  const push = (value: SqlValue, next: string) => {
    pieces.push(last)
    values.push(value)
    last = next
  }
  for (const [at, part] of parts.entries()) {
    const after = strings[at + 1] ?? ''
    if (isValue(part)) push(part, after)
    else {
      const inner = part.shape.pieces
      last += inner[0] ?? ''
      for (const [position, value] of part.values.entries()) push(value, inner[position + 1] ?? '')
      last += after
    }
  }
  return new Sql(new Shape([...pieces, last]), values)
}

const verbatim = (text: string) => new Sql(new Shape([text]), [])

/** Becomes part of the text: never pass user input. */
function identifier(name: string): Sql {
  if (!/^[a-z_0-9]+(\.[a-z_0-9]+)?$/.test(name)) throw new Error('an identifier is made of small letters')
  return verbatim(name)
}

/** A constant in the text, for the predicate of a partial index. */
const literal = (value: string | number): Sql =>
  verbatim(typeof value === 'number' ? String(value) : pg.escapeLiteral(value))

const join = (parts: readonly Part[], separator = ', '): Sql =>
  compose(['', ...parts.slice(1).map(() => separator), ''].slice(0, parts.length + 1), parts)

/** Selects the columns of a row schema: `session_id as "sessionId"`. */
const columns = ({ shape }: z.ZodObject, table?: string): Sql =>
  verbatim(
    Object.keys(shape)
      .map((key) => {
        const column = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
        return `${table ? `${table}.` : ''}${column}${column === key ? '' : ` as "${key}"`}`
      })
      .join(', '),
  )

export const sql = Object.assign(template, { identifier, literal, join, columns })

/** A nullable column, read as undefined. */
export const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullable().transform((value) => value ?? undefined)

/** For hot statements: the server parses each once per connection. */
export const prepared = ({ shape, values }: Sql): Sql => new Sql(shape, values, true)

/** A pool, or a connection in a transaction. */
export type Queryable = {
  query(config: pg.QueryConfig): Promise<{ rows: unknown[]; rowCount: number | null }>
}

export type Db = Queryable | Prepared

/** A mismatch is a bug. The error names statement and column, never the value. */
export async function rows<Row>(db: Db, schema: z.ZodType<Row>, statement: Sql): Promise<Row[]> {
  const answered = await answer(db, statement)
  return answered.map((row) => {
    const read = schema.safeParse(row)
    if (read.success) return read.data
    throw unreadable(read.error, statement.text)
  })
}

export const row = async <Row>(db: Db, schema: z.ZodType<Row>, statement: Sql): Promise<Row | undefined> =>
  (await rows(db, schema, statement))[0]

/** For statements that always return a row, such as a count. */
export async function one<Row>(db: Db, schema: z.ZodType<Row>, statement: Sql): Promise<Row> {
  const [first, ...others] = await rows(db, schema, statement)
  if (first === undefined || others.length > 0) throw new Error(`not one row: ${statement.text}`)
  return first
}

export async function execute(connection: Queryable, statement: Sql): Promise<number> {
  return (await connection.query(toQuery(statement))).rowCount ?? 0
}

const answer = async (db: Db, statement: Sql): Promise<unknown[]> =>
  typeof db === 'function' ? db(statement.shape.statement, statement.values) : (await db.query(toQuery(statement))).rows

function toQuery({ shape, values, isPrepared }: Sql): pg.QueryConfig {
  const { text } = shape
  return isPrepared
    ? { name: shape.statement.name, text, values: values as SqlValue[] }
    : { text, values: values as SqlValue[] }
}
