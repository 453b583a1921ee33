import { expect, test } from 'vitest'
import { readDocument } from './documents.ts'

const changelog = readDocument('CHANGELOG.md')
const manifest = JSON.parse(readDocument('package.json'))

test('the changelog begins with what is unreleased, then has the releases with their dates', () => {
  const [first, ...releases] = [...changelog.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)

  expect(first).toBe('[Unreleased]')
  expect(releases.filter((heading) => !/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/.test(heading))).toEqual([])
})

test('the newest release is the version of the package and its lock file', () => {
  const [, newest] = /^## \[(\d[^\]]*)\]/m.exec(changelog) ?? []
  const lock = JSON.parse(readDocument('package-lock.json'))

  expect([manifest.version, lock.version, lock.packages[''].version]).toEqual([newest, newest, newest])
})

test('its sections are those of Keep a Changelog', () => {
  const sections = [...changelog.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading)
  const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']

  expect(sections.filter((section) => !known.includes(section ?? ''))).toEqual([])
})

test('SECURITY.md supports the release line of the package', () => {
  const line = manifest.version.replace(/\d+$/, 'x')

  expect(readDocument('SECURITY.md')).toContain(`| ${line} | yes |`)
})
