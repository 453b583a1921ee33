import { expect, test } from 'vitest'
import { compareReleases } from '../../src/kit/database/migrations.ts'
import { readDocument } from './documents.ts'

const changelog = readDocument('CHANGELOG.md')
const manifest = JSON.parse(readDocument('package.json'))

test('the changelog begins with Unreleased, followed by dated releases', () => {
  const [first, ...releases] = [...changelog.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)

  expect(first).toBe('[Unreleased]')
  expect(releases.filter((heading) => !/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/.test(heading))).toEqual([])
})

const [, newest = ''] = /^## \[(\d[^\]]*)\]/m.exec(changelog) ?? []

test('the version is a release only in its release commit, and otherwise a later one with -dev', () => {
  const [unreleased = ''] = changelog.split('## [Unreleased]')[1]?.split(/^## /m) ?? []
  const isRelease = manifest.version === newest

  expect(isRelease && unreleased.includes('\n- ')).toBe(false)
  if (!isRelease) expect(manifest.version).toMatch(/^\d+\.\d+\.\d+-dev$/)
  expect(compareReleases(manifest.version, newest)).toBe(isRelease ? 0 : 1)
})

/** PEP 440 writes development releases in another form. */
const fromPython = (version: string | undefined) => version?.replace('.dev0', '-dev')

test('packages, lock file, chart and constants have the program’s version', () => {
  const lock = JSON.parse(readDocument('package-lock.json'))
  const packages = ['cli', 'client', 'connect'].map((name) => `packages/${name}`)
  const versions = {
    lock: lock.version,
    'lock of the program': lock.packages[''].version,
    chart: /^appVersion: (.+)$/m.exec(readDocument('deploy/helm/causeway/Chart.yaml'))?.[1],
    'cli/src/version.ts': /'(.+)'/.exec(readDocument('packages/cli/src/version.ts'))?.[1],
    'client/src/transport.ts': /^const version = '(.+)'/m.exec(readDocument('packages/client/src/transport.ts'))?.[1],
    python: fromPython(/"(.+)"/.exec(readDocument('packages/python/causeway/_version.py'))?.[1]),
    'README of python': fromPython(/causeway-(.+)-py3-none-any/.exec(readDocument('packages/python/README.md'))?.[1]),
    'client of cli': JSON.parse(readDocument('packages/cli/package.json')).devDependencies['@causeway/client'],
    ...Object.fromEntries(packages.map((at) => [at, JSON.parse(readDocument(`${at}/package.json`)).version])),
    ...Object.fromEntries(packages.map((at) => [`lock of ${at}`, lock.packages[at].version])),
  }

  expect(Object.entries(versions).filter(([, version]) => version !== manifest.version)).toEqual([])
})

test('the newest release has its API document', () => {
  expect(readDocument(`docs/reference/openapi-${newest}.json`)).toContain('"openapi"')
})

test('section names follow Keep a Changelog', () => {
  const sections = [...changelog.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading)
  const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']

  expect(sections.filter((section) => !known.includes(section ?? ''))).toEqual([])
})

test('SECURITY.md supports the newest release line', () => {
  const line = newest.replace(/\d+$/, 'x')

  expect(readDocument('SECURITY.md')).toContain(`| ${line} | yes |`)
})
