import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readDocument, root, tableRows } from './documents.ts'

const folder = 'docs/decisions'
const files = readdirSync(new URL(`${folder}/`, root))
  .filter((name) => name !== 'README.md')
  .sort()

test('decisions are numbered without gaps', () => {
  const numbers = files.map((file) => Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1]))

  expect(numbers).toEqual(files.map((_, at) => at + 1))
})

test('decisions have a number, status, date and the sections in order', () => {
  const sections = ['Context', 'Decision', 'Consequences', 'Revisit when']
  const wrong = files.filter((file) => {
    const text = readDocument(`${folder}/${file}`)
    const head =
      /^# (\d{4})\. \S.*\n\n- Status: (?:proposed|accepted|accepted, in progress|withdrawn|superseded by \d{4})\n- Date: \d{4}-\d{2}-\d{2}(?:, (?:amended|withdrawn) \d{4}-\d{2}-\d{2})?\n/
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    return head.exec(text)?.[1] !== file.slice(0, 4) || headings.join() !== sections.join()
  })

  expect(wrong).toEqual([])
})

test('the index lists decisions with their title and status', () => {
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
