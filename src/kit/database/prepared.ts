import type pg from 'pg'

/** Runs a statement that the server parses once per connection: for the few paths where parsing is most of the work. */
export type Prepared = <Row extends pg.QueryResultRow>(text: string, values: unknown[]) => Promise<Row[]>

export function preparedStatements(pool: pg.Pool): Prepared {
  // Texts are few: parts of them are left out or put in, but values never stand in them.
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    return name
  }
  return async (text, values) => (await pool.query({ name: nameOf(text), text, values })).rows
}

/** Collects the values of a statement while its text is written. */
export class Parameters {
  readonly values: unknown[] = []

  add(value: unknown): string {
    return `$${this.values.push(value)}`
  }

  addAll(values: readonly unknown[]): string {
    return values.map((value) => this.add(value)).join(', ')
  }
}
