import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readSource } from './source-imports.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const [, findings = ''] = read('docs/security-cases.md').split('## Findings of reviews')
const rows = [...findings.matchAll(/^\| (?!Finding)(\w+) \|.*\| ([^|]+) \|$/gm)].map(([, id = '', files = '']) => ({
  id,
  files,
}))
const ids = rows.map(({ id }) => id)

test('each finding has tests that exist', () => {
  const paths = rows.flatMap(({ files }) => [...files.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path))

  expect(rows.length).toBeGreaterThan(100)
  expect(rows.filter(({ files }) => !/`[^`]+`/.test(files))).toEqual([])
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})

test('no finding of the last review is left out', () => {
  const numbers = (letter: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => `${letter}${from + at}`)
  const promised = [numbers('T', 1, 19), numbers('O', 21, 43), numbers('M', 1, 7), numbers('W', 1, 5)].flat()

  expect([...promised, 'V1', 'V2', 'V5', 'V6'].filter((id) => !ids.includes(id))).toEqual([])
})

test('O34: the guide to sizes has the default limits', () => {
  const listed = [...read('docs/guides/size-it.md').matchAll(/^\| `([A-Z_]+)`( \(platform\))? \| ([\d,]+)/gm)]
  const defaults = ['onboarding', 'platform'].map(
    (program) =>
      new Map(
        [...readSource(`${program}/config.ts`).matchAll(/^ {2}([A-Z_]+): .*\.default\(([\d_]+)\)/gm)].map(
          ([, name, value = '']) => [name, Number(value.replaceAll('_', ''))],
        ),
      ),
  )

  expect(listed.length).toBeGreaterThanOrEqual(5)
  for (const [, name, platform, value = ''] of listed)
    expect([name, Number(value.replaceAll(',', ''))]).toEqual([name, defaults[platform ? 1 : 0]?.get(name)])
})

test('O38: the installation guide starts the stores and nginx also without systemd', () => {
  const guide = read('docs/guides/install-on-a-machine.md')

  expect(guide).toMatch(/without systemd: nginx -s reload/)
  expect(guide).toMatch(/rm \/etc\/nginx\/sites-enabled\/default/)
})

test('O39: guides show a health check with its reason', () => {
  const shown = ['back-up-and-restore', 'relink-a-connection', 'on-call', 'doctor'].flatMap((name) =>
    [...read(`docs/guides/${name}.md`).matchAll(/`POST [^`]*\/health-checks`(.{0,80})/g)].map(
      ([, after = '']) => after,
    ),
  )

  expect(shown.length).toBeGreaterThan(0)
  expect(shown.filter((after) => !after.includes('reason'))).toEqual([])
})

test('O41: both guides have the memory of an idle process that was measured', () => {
  const guides = ['run-it', 'size-it'].map((name) => read(`docs/guides/${name}.md`))
  const idle = guides.map((guide) => /process takes (\d+) MB(?= when idle|,)/.exec(guide)?.[1])

  expect(idle).toEqual(['105', '105'])
})

test('O42: the container test names the packages of all programs that it calls, and its ports can be chosen', () => {
  const engine = read('scripts/containers/engine.mjs')

  expect(/for \(const program of (\[.*\])\)/.exec(engine)?.[1]).toContain("'docker'")
  expect(/const packages = '(.*)'/.exec(engine)?.[1]?.split(' ')).toContain('docker.io')
  for (const port of ['HTTP_PORT', 'HTTPS_PORT', 'PROVIDER_PORT'])
    expect(read('scripts/test-containers.mjs')).toMatch(new RegExp(`${port}.*= process\\.env`))
})
