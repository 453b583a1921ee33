// compose.yaml is what people copy, so what it leaves open stays open.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

const dockerfile = read('Dockerfile')
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

const named = (...names: string[]) => services.filter(({ name }) => names.includes(name))
const programs = named('onboarding', 'platform')
const stores = named('postgres', 'redis')
const migrations = named('onboarding-migration', 'platform-migration')

test('S17: the services are a proxy, the two programs, their migrations and their stores', () => {
  const known = [...named('proxy'), ...programs, ...migrations, ...stores]

  expect(services.map(({ name }) => name)).toEqual(known.map(({ name }) => name))
})

test.each(services)('S17: $name is confined: read-only, without capabilities or new privileges', ({ name, block }) => {
  expect(block).toContain('read_only: true')
  expect(block).toContain('cap_drop: [ALL]')
  expect(block).toContain("security_opt: ['no-new-privileges:true']")
  expect(block).not.toMatch(/privileged: true|network_mode|pid: host|docker\.sock/)
  expect(/cap_add: (.*)/.exec(block)?.[1]).toBe(name === 'proxy' ? '[NET_BIND_SERVICE]' : undefined)
})

test('S17: as it stands, the proxy alone is reached, and from this machine alone', () => {
  const published = services.filter(({ block }) => /ports:/.test(block))
  const [, ports = ''] = /ports:\n((?: {6}- .*\n)+)/.exec(published[0]?.block ?? '') ?? []

  expect(published.map(({ name }) => name)).toEqual(['proxy'])
  expect(ports.trim().split('\n')).toHaveLength(2)
  for (const port of ports.trim().split('\n')) expect(port).toMatch(/\$\{PUBLISH_\w+:-127\.0\.0\.1:\d+:\d+\}/)
})

test.each(stores)('S17: $name is reached by nobody but the programs, as no superuser of its container', ({ block }) => {
  expect(block).toContain('networks: [stores]')
  expect(block).toMatch(/user: (postgres|redis)/)
  expect(blocksBelow('networks').stores).toContain('internal: true')
})

test.each(stores.concat(named('proxy')))('S17: $name is an image of an exact version', ({ block }) => {
  expect(block).toMatch(/image: \$\{\w+_IMAGE:-[\w./-]+:\d+\.\d+(\.\d+)?[\w.-]*\}\n/)
})

test('S17: so is the image that ours is built from, and it is the release that tests run on', () => {
  const [, base] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? []
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  const [, lts = ''] = /const version = '([\d.]+)'/.exec(read('scripts/set-up/lts-node.mjs')) ?? []

  expect(base).toBe(`node:${lts}-slim`)
  expect(new Set(bases)).toEqual(new Set([`\${NODE_IMAGE}`, 'base', 'packages']))
})

test('our image runs as no root, by number, and says what it is and what is in it', () => {
  expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
  expect(dockerfile).toContain('org.opencontainers.image.revision')
  expect(dockerfile).toMatch(/npm prune --omit=dev[\s\S]*npm sbom /)
})

test('S17: every service that stays says whether it is well', () => {
  expect(dockerfile).toMatch(/^HEALTHCHECK/m)
  for (const { name, block } of stores) expect(block, name).toContain('healthcheck:')
})

test('S17: no password is on a command line, and none in the file', () => {
  const commands = [...text.matchAll(/^\s*(?:command|entrypoint|test):.*(?:\n\s+- .*)*/gm)].map(([command]) => command)

  expect(commands.length).toBeGreaterThan(3)
  expect(text).not.toMatch(/PASSWORD|requirepass|SECRET|_KEYS?:/)
})

test.each(programs)('S17: $name and its migration know one database each, by roles of their own', ({ name, block }) => {
  const migration = migrations.find((each) => each.name === `${name}-migration`)

  expect(block).toContain(`env_file: deploy/compose/${name}.env`)
  expect(block).toContain(`${name}-migration: { condition: service_completed_successfully }`)
  expect(migration?.block).toContain(`env_file: deploy/compose/${name}-owner.env`)
  expect(migration?.block).toContain('networks: [stores]')
})

test('S17: the role of a program owns nothing and creates nothing', () => {
  const roles = read('deploy/postgres/roles.sql').replace(/^--.*\n/gm, '')

  expect(roles).toContain('create database :"name" owner :"owner";')
  expect(roles).toContain('revoke all on database :"name" from public;')
  expect(roles).not.toMatch(/superuser|createdb|createrole|bypassrls|grant all|grant create/i)
})
