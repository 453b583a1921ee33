export type Row = Readonly<Record<string, string | number | undefined>>

/** Pads every column but the last to its widest cell. */
export function columns(rows: ReadonlyArray<readonly string[]>): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  }
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

export function table(rows: readonly Row[]): string[] {
  const [first] = rows
  if (!first) return []
  const names = Object.keys(first)
  const cells = rows.map((row) => names.map((name) => printable(row[name] ?? '')))
  return columns([names.map((name) => name.toUpperCase()), ...cells])
}

/** Replaces control and formatting characters: untrusted text must not control the terminal. */
export const printable = (value: string | number): string =>
  String(value).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD')
