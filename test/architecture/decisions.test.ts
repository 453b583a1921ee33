import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readDocument, root, tableRows } from './documents.ts'

const folder = 'docs/decisions'
const files = readdirSync(new URL(`${folder}/`, root))
  .filter((name) => name !== 'README.md')
  .sort()

test('each decision has a number of its own', () => {
  const numbers = files.map((file) => Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1]))

  expect(numbers).not.toContain(Number.NaN)
  expect(new Set(numbers).size).toBe(files.length)
})

test.each(files)('%s has its number, status, date and the sections in order', (file) => {
  const text = readDocument(`${folder}/${file}`)
  const [title, , status, date] = text.split('\n')

  expect(title).toMatch(new RegExp(`^# ${file.slice(0, 4)}\\. \\S`))
  expect(status).toMatch(/^- Status: (proposed|accepted|accepted, in progress|superseded by \d{4})$/)
  expect(date).toMatch(/^- Date: \d{4}-\d{2}-\d{2}$/)
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
    'Context',
    'Decision',
    'Consequences',
    'How we would notice that it is wrong',
  ])
})

test('the index lists each of them with its title and status', () => {
  const listed = tableRows(readDocument(`${folder}/README.md`), /^\[\d{4}\]/)

  expect(listed).toEqual(files.map(rowOf))
})

function rowOf(file: string): string[] {
  const text = readDocument(`${folder}/${file}`)
  const number = file.slice(0, 4)
  const [, title = ''] = /^# \d{4}\. (.+)$/m.exec(text) ?? []
  const [, status = ''] = /^- Status: (.+)$/m.exec(text) ?? []
  return [`[${number}](${file})`, title, status]
}
