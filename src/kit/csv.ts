/**
 * Rows as RFC 4180 has them. A cell that a spreadsheet would take for a formula is marked as text: names of people and
 * tenants end up in these files, and whoever chose them must not run anything.
 */
export const csv = (rows: ReadonlyArray<readonly string[]>): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')

function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
