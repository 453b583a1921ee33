// SQL as templates: values become parameters, fragments compose, and every row that comes back is parsed. Not a query
// builder: whatever is more than putting pieces together is written as SQL.
import pg from 'pg'
import type { z } from 'zod'
import { type Prepared, Statement, type WireValue } from './prepared.ts'
import { unreadable } from './stored.ts'

/** Without undefined, which is more often a mistake than a null. */
export type SqlValue = Exclude<WireValue, undefined>

/** What a part says, without its values: these stand between the pieces. */
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

/** Kept by text, because the name of a statement is a digest. The code has only so many texts, so the map stays small. */
const statements = new Map<string, Statement>()

function statementOf(text: string): Statement {
  const known = statements.get(text) ?? new Statement(text)
  statements.set(text, known)
  return known
}

/** A part of a statement, or a whole one. */
export class Sql {
  constructor(
    readonly shape: Shape,
    readonly values: readonly SqlValue[],
    readonly isPrepared = false,
  ) {}

  /** Values never stand in it, so it can be told to anybody. */
  get text(): string {
    return this.shape.text
  }
}

type Part = SqlValue | Sql

/** Of templates whose parts had no values of their own, which then are the same every time. */
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

/** Of a table, a column or a part of a statement. It stands in the text, so it comes from code and never from a caller. */
function identifier(name: string): Sql {
  if (!/^[a-z_0-9]+(\.[a-z_0-9]+)?$/.test(name)) throw new Error('an identifier is made of small letters')
  return verbatim(name)
}

/** A constant of ours in the text, where the planner has to know it: an index may hold such rows alone. */
const literal = (value: string | number): Sql =>
  verbatim(typeof value === 'number' ? String(value) : pg.escapeLiteral(value))

const join = (parts: readonly Part[], separator = ', '): Sql =>
  compose(['', ...parts.slice(1).map(() => separator), ''].slice(0, parts.length + 1), parts)

/** The columns that a schema of rows names, by its names: `session_id as "sessionId"`, `created_at as "createdAt"`. */
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

/** A column that may be null, which is undefined in the program. */
export const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullable().transform((value) => value ?? undefined)

/** For statements that are most of what a program does: the server parses one once per connection. */
export const prepared = ({ shape, values }: Sql): Sql => new Sql(shape, values, true)

/** A pool, or a connection in a transaction. */
export type Queryable = {
  query(config: pg.QueryConfig): Promise<{ rows: unknown[]; rowCount: number | null }>
}

/** Batches prepare every statement. */
export type Db = Queryable | Prepared

/** A row that does not fit is a bug of ours, and told by the statement and the column, never by the value. */
export async function rows<Row>(db: Db, schema: z.ZodType<Row>, statement: Sql): Promise<Row[]> {
  const answered = await answer(db, statement)
  return answered.map((row) => {
    const read = schema.safeParse(row)
    if (read.success) return read.data
    throw unreadable(read.error, statement.text)
  })
}

/** The first row, or undefined if there is none. */
export const row = async <Row>(db: Db, schema: z.ZodType<Row>, statement: Sql): Promise<Row | undefined> =>
  (await rows(db, schema, statement))[0]

/** For statements that always have a row, such as a count. */
export async function one<Row>(db: Db, schema: z.ZodType<Row>, statement: Sql): Promise<Row> {
  const [first, ...others] = await rows(db, schema, statement)
  if (first === undefined || others.length > 0) throw new Error(`not one row: ${statement.text}`)
  return first
}

/** Returns how many rows it wrote or found. */
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
