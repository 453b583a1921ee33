import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const folder = new URL('test/onboarding/attacks/', root)
const document = readFileSync(new URL('docs/security-cases.md', root), 'utf8')

const listed = [...document.matchAll(/^\| (\d+) \|.*`([\w.-]+\.test\.ts)` \|$/gm)].map(([, number, file]) => ({
  number: Number(number),
  file: file ?? '',
}))

test('listed cases are tested in the file that the table names', () => {
  expect(listed.length).toBeGreaterThan(40)
  expect(listed.filter(({ number, file }) => !casesIn(file).includes(number))).toEqual([])
})

test('all tested cases are listed', () => {
  const tried = readdirSync(folder).flatMap(casesIn)
  const known = new Set(listed.map(({ number }) => number))

  expect([...new Set(tried)].filter((number) => !known.has(number))).toEqual([])
})

test('only these files read responses of other servers, and each is tested with bombs', () => {
  const files = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
  const reading = files.filter((file) => {
    if (!file.endsWith('.ts') || file.startsWith('demo/')) return false
    const text = readFileSync(new URL(`src/${file}`, root), 'utf8')
    return /^import (?!type).* from '(undici|node:https)'$|globalThis\.fetch|[^.\w]guardedFetch\(\{/m.test(text)
  })

  expect(reading.sort()).toEqual([
    'kit/export/open-destinations.ts',
    'kit/fetch/guarded-fetch.ts',
    'onboarding/compose.ts',
    'onboarding/provisioning/adapters/platform/function-fetch.ts',
    'onboarding/provisioning/adapters/platform/function-relay.ts',
    'onboarding/provisioning/adapters/platform/platform-http.ts',
    'platform/gateway/adapters/callbacks.ts',
    'platform/gateway/adapters/http-runtime.ts',
    'platform/gateway/adapters/relay-server.ts',
    'platform/gateway/adapters/third-party.ts',
    'platform/gateway/adapters/vendor-mcp/bounded-fetch.ts',
    'platform/identity/adapters/client-keys.ts',
    'platform/identity/adapters/client-metadata.ts',
    'platform/settings/adapters/followed-settings.ts',
  ])
})

const faults = readFileSync(new URL('docs/reference/faults.md', root), 'utf8')
const faultRows = [...faults.matchAll(/^\| (F\d\d) \|.*\| ([^|]+) \|$/gm)].map(([, fault = '', files = '']) => ({
  fault,
  files: [...files.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = '']) => file),
}))

test('the table of faults has a row for each specified fault', () => {
  const promised = [1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 17, 18, 20, 21, 22, 23, 24, 25]

  expect(faultRows.map(({ fault }) => Number(fault.slice(1)))).toEqual(promised)
})

test('faults are tested in the files that the table names', () => {
  const urlOf = (file: string) => new URL(file.includes('/') ? file : `test/faults/${file}`, root)
  const untested = faultRows.filter(({ fault, files }) => !files.some((file) => mentions(urlOf(file), fault)))

  expect(untested).toEqual([])
  expect(faultRows.flatMap(({ files }) => files).filter((file) => !existsSync(urlOf(file)))).toEqual([])
})

/** In the name of a test or in the first line of the file. */
function mentions(file: URL, fault: string): boolean {
  if (!existsSync(file)) return false
  const text = readFileSync(file, 'utf8')
  return text.startsWith(`// ${fault}`) || new RegExp(`(?:test\\(|\\)\\()\\s*['"]${fault}[,:]`).test(text)
}

/** The name of a test or of its group begins with its case, or with two cases. */
function casesIn(file: string): number[] {
  const names = readFileSync(new URL(file, folder), 'utf8').matchAll(
    /(?:test|describe)\(\s*['"]cases? (\d+)(?: and (\d+))?/g,
  )
  return [...names].flatMap(([, first, second]) => [Number(first), ...(second ? [Number(second)] : [])])
}
