import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { documents, readDocument, root } from './documents.ts'

test('links in documents point to existing files and headings', () => {
  const broken = documents().flatMap((path) =>
    linksIn(readDocument(path))
      .filter((link) => !leadsSomewhere(path, link))
      .map((link) => `${path}: ${link}`),
  )

  expect(broken).toEqual([])
})

test('the check finds a missing file and a missing heading', () => {
  expect(linksIn('[a](b.md) ![c](d.png) [e](https://example.com/f) `[g](h)`')).toEqual(['b.md', 'd.png'])
  expect(leadsSomewhere('docs/guides/run-it.md', '../../README.md#use-it-for-real')).toBe(true)
  expect(leadsSomewhere('docs/guides/run-it.md', '../../README.md#no-such-heading')).toBe(false)
  expect(leadsSomewhere('docs/guides/run-it.md', 'no-such-file.md')).toBe(false)
})

function linksIn(text: string): string[] {
  const prose = text.replace(/^ *```.*?^ *```/gms, '').replace(/`[^`\n]*`/g, '')
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => !/^https?:/.test(target))
}

function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', heading] = link.split('#')
  const target = file ? new URL(file, new URL(from, root)) : new URL(from, root)
  if (!existsSync(target)) return false
  return heading === undefined || headingsOf(readDocument(target.pathname)).includes(heading)
}

/** Anchors as GitHub derives them from headings. */
const headingsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
