import type { Given } from './command.ts'
import { type Row, table } from './table.ts'
import type { Terminal } from './terminal.ts'

/** Prints a table, or with --json one line of JSON per item. */
export async function printList<T>(
  items: AsyncIterable<T> | Iterable<T>,
  rowOf: (item: T) => Row,
  { given, terminal, none }: { given: Given; terminal: Terminal; none: string },
): Promise<void> {
  if (given.flag('json')) {
    for await (const item of items) terminal.out(JSON.stringify(item))
    return
  }
  const rows: Row[] = []
  for await (const item of items) rows.push(rowOf(item))
  if (rows.length === 0) return terminal.err(none)
  for (const line of table(rows)) terminal.out(line)
}

/** Prints one member per line, or JSON. */
export function printOne(item: object, given: Given, terminal: Terminal): void {
  if (given.flag('json')) {
    terminal.out(JSON.stringify(item))
    return
  }
  const rows = Object.entries(item).map(([name, value]) => ({
    member: name,
    value: typeof value === 'object' ? JSON.stringify(value) : String(value),
  }))
  for (const line of table(rows).slice(1)) terminal.out(line)
}
