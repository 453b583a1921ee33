// The text of every end-user page is for people: no code, no names of settings, no values of the API.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyPage, startPageGallery } from '../../support/http/page-gallery.ts'

let gallery: Awaited<ReturnType<typeof startPageGallery>>
beforeAll(async () => {
  gallery = await startPageGallery()
})
afterAll(() => gallery.close())

/** Developers read the test provider: it names the codes of its outcomes. */
const pages = Object.keys(everyPage).filter((name) => name !== 'test-provider')

const codes = [/`/, /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/, /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/]

const textOf = (html: string): string =>
  html
    .slice(html.indexOf('<body'))
    .replaceAll(/<code>req_\w+<\/code>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')

const codesIn = (text: string) => codes.flatMap((code) => code.exec(text)?.[0] ?? [])

const readPages = () =>
  Promise.all(
    pages.map(async (name) => ({ name, html: await (await fetch(`${gallery.url}/branded/en/${name}`)).text() })),
  )

test('no page contains a code, and each outcome page has two logos and a button', async () => {
  const read = await readPages()
  const ends = read.filter(({ name }) => /^(?:error|ended|cause|linked|denied|cancelled|failed|parked)/.test(name))
  const without = (part: string) => ends.filter(({ html }) => !html.includes(part)).map(({ name }) => name)

  expect(read.flatMap(({ name, html }) => codesIn(textOf(html)).map((code) => `${name}: ${code}`))).toEqual([])
  expect(ends.length).toBeGreaterThan(50)
  expect(without('class="actions"')).toEqual([])
  expect(without('class="handshake"')).toEqual([])
})
