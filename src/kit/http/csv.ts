/** RFC 4180. Cells that a spreadsheet would run as a formula are marked as text: users choose some of the names here. */
export const csv = (rows: ReadonlyArray<readonly string[]>): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')

// Some spreadsheets skip blanks, split at semicolons, or accept full-width signs.
const formulas = /(^|;)(?=[\s"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r])/g

function cell(text: string): string {
  const plain = text.replace(formulas, "$1'")
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
