// compose.yaml is what people copy, so what it leaves open stays open.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

const text = read('compose.yaml').replace(/^\s*#.*\n/gm, '')

/** Named blocks two spaces deep below a key at the top. */
function blocksBelow(key: string): Record<string, string> {
  const [, below = ''] = new RegExp(`^${key}:\\n((?: .*\\n|\\n)*)`, 'm').exec(text) ?? []
  const blocks = [...below.matchAll(/^ {2}([\w-]+):(.*\n(?: {3,}.*\n|\n)*)/gm)]
  return Object.fromEntries(blocks.map(([, name, block]) => [name ?? '', block ?? '']))
}

/** With what a service takes over from a template. */
const services = Object.entries(blocksBelow('services')).map(([name, block]) => {
  const [, template] = /<<: \*([\w-]+)/.exec(block) ?? []
  const [, common = ''] = new RegExp(`^x-${template}: &${template}\\n((?: .*\\n)*)`, 'm').exec(text) ?? []
  return { name, block: common + block }
})

const programs = services.filter(({ block }) => block.includes('build: .'))
const stores = services.filter(({ block }) => !block.includes('build: .'))

test('S17: the services are the two programs and their stores', () => {
  expect(programs.map(({ name }) => name)).toEqual(['onboarding', 'platform'])
  expect(stores.map(({ name }) => name)).toEqual(['postgres', 'redis'])
})

test.each(services)('S17: $name is confined: read-only, without capabilities or new privileges', ({ block }) => {
  expect(block).toContain('read_only: true')
  expect(block).toContain('cap_drop: [ALL]')
  expect(block).toContain("security_opt: ['no-new-privileges:true']")
  expect(block).not.toMatch(/privileged: true|cap_add|network_mode|pid: host|docker\.sock/)
})

test.each(programs)('S17: $name is reached from this machine alone', ({ block }) => {
  const [, published = ''] = /ports: \[(.*)\]/.exec(block) ?? []

  expect(published.split(',').every((port) => port.trim().startsWith("'127.0.0.1:"))).toBe(true)
  expect(block).toContain('networks: [front, stores]')
})

test.each(stores)('S17: $name is reached by nobody but the programs, as no superuser of its container', ({ block }) => {
  expect(block).not.toMatch(/ports:/)
  expect(block).toContain('networks: [stores]')
  expect(block).toMatch(/user: (postgres|redis)/)
  expect(blocksBelow('networks').stores).toContain('internal: true')
})

test.each(stores)('S17: $name is an image of an exact version', ({ block }) => {
  expect(block).toMatch(/image: [\w./-]+(:\d+\.\d+(\.\d+)?[\w.-]*|@sha256:[\da-f]{64})\n/)
})

test('S17: so is the image that ours is built from, and it is the release that tests run on', () => {
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  const [, lts = ''] = /const version = '([\d.]+)'/.exec(read('scripts/test-lts.mjs')) ?? []

  expect(new Set(bases.filter((image) => image !== 'base'))).toEqual(new Set([`node:${lts}-slim`]))
})

test('S17: every service says whether it is well', () => {
  expect(read('Dockerfile')).toMatch(/^HEALTHCHECK/m)
  for (const { name, block } of stores) expect(block, name).toContain('healthcheck:')
})

test('S17: no password is on a command line', () => {
  const commands = [...text.matchAll(/^\s*(?:command|entrypoint|test):.*(?:\n\s+- .*)*/gm)].map(([command]) => command)

  expect(commands.length).toBeGreaterThan(3)
  expect(commands.filter((command) => /PASSWORD|requirepass|SECRET|_KEY/.test(command))).toEqual([])
})

test('S17: each program has a role of its own, which owns its own database and nothing else', () => {
  const { roles = '' } = blocksBelow('configs')

  for (const { name, block } of programs) {
    const [, user, database] = /DATABASE_URL: postgres:\/\/(\w+):.*\/(\w+)\n/.exec(block) ?? []
    expect([user, database]).toEqual([name, name])
    expect(roles).toMatch(new RegExp(`create role ${name} login password`))
    expect(roles).toContain(`create database ${name} owner ${name};`)
    expect(roles).toContain(`revoke all on database ${name} from public;`)
  }
  expect(roles).not.toMatch(/superuser|createdb|createrole|bypassrls/i)
})
