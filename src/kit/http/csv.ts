/**
 * Rows as RFC 4180 has them. A cell that a spreadsheet would take for a formula is marked as text: names of people and
 * tenants end up in these files, and whoever chose them must not run anything.
 */
export const csv = (rows: ReadonlyArray<readonly string[]>): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')

// Some programs skip blanks, cut at semicolons, or take the wide forms of the signs for the signs.
const formulas = /(^|;)(?=[\s"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r])/g

function cell(text: string): string {
  const plain = text.replace(formulas, "$1'")
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
