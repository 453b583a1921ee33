// compose.yaml is copied by operators, so its defaults must be safe.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

const dockerfile = read('Dockerfile')
const text = read('compose.yaml').replace(/^\s*#.*\n/gm, '')

/** Named blocks, indented by two spaces, below a top-level key. */
function blocksBelow(key: string): Record<string, string> {
  const [, below = ''] = new RegExp(`^${key}:\\n((?: .*\\n|\\n)*)`, 'm').exec(text) ?? []
  const blocks = [...below.matchAll(/^ {2}([\w-]+):(.*\n(?: {3,}.*\n|\n)*)/gm)]
  return Object.fromEntries(blocks.map(([, name, block]) => [name ?? '', block ?? '']))
}

/** Includes the members that a service inherits from a template. */
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

test.each(services)('S17: $name is read-only, without capabilities or new privileges', ({ name, block }) => {
  expect(block).toContain('read_only: true')
  expect(block).toContain('cap_drop: [ALL]')
  expect(block).toContain("security_opt: ['no-new-privileges:true']")
  expect(block).not.toMatch(/privileged: true|network_mode|pid: host|docker\.sock/)
  expect(/cap_add: (.*)/.exec(block)?.[1]).toBe(name === 'proxy' ? '[NET_BIND_SERVICE]' : undefined)
})

test.each(services)('$name rotates its log and has a memory limit', ({ block }) => {
  expect(block).toContain('logging: *logging')
  expect(block).toMatch(/mem_limit: \S+/)
  expect(text).toMatch(
    /^x-logging: &logging\n {2}driver: json-file\n {2}options: \{ max-size: \d+m, max-file: '\d' \}$/m,
  )
})

test('the programs have metrics, which are not published', () => {
  for (const { block } of programs) expect(block).toMatch(/METRICS_PORT: '\d+'/)
})

test('the final image has no package manager', () => {
  const final = dockerfile.slice(dockerfile.lastIndexOf('FROM '))

  for (const path of ['/usr/bin/apt*', '/usr/local/lib/node_modules', '/usr/local/bin/npm', '/usr/local/bin/npx']) {
    expect(final).toContain(path)
  }
})

test('S17: by default only the proxy publishes ports, and only on localhost', () => {
  const published = services.filter(({ block }) => /ports:/.test(block))
  const [, ports = ''] = /ports:\n((?: {6}- .*\n)+)/.exec(published[0]?.block ?? '') ?? []

  expect(published.map(({ name }) => name)).toEqual(['proxy'])
  expect(ports.trim().split('\n')).toHaveLength(2)
  for (const port of ports.trim().split('\n')) expect(port).toMatch(/\$\{PUBLISH_\w+:-127\.0\.0\.1:\d+:\d+\}/)
})

test.each(stores)('S17: only the programs reach $name, which does not run as a superuser', ({ block }) => {
  expect(block).toContain('networks: [stores]')
  expect(block).toMatch(/user: (postgres|redis)/)
  expect(blocksBelow('networks').stores).toContain('internal: true')
})

test.each(stores.concat(named('proxy')))('S17: the image of $name has an exact version', ({ block }) => {
  expect(block).toMatch(/image: \$\{\w+_IMAGE:-[\w./-]+:\d+\.\d+(\.\d+)?[\w.-]*\}\n/)
})

test('S17: the base image has an exact version, which is the release that tests run on', () => {
  const [, base] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? []
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  const [, lts = ''] = /const version = '([\d.]+)'/.exec(read('scripts/set-up/lts-node.mjs')) ?? []

  expect(base).toBe(`node:${lts}-slim`)
  expect(new Set(bases)).toEqual(new Set([`\${NODE_IMAGE}`, 'base', 'packages']))
})

test('our image runs as a numeric non-root user and has its labels', () => {
  expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
  expect(dockerfile).toContain('org.opencontainers.image.revision')
  expect(dockerfile).toMatch(/npm prune --omit=dev[\s\S]*npm sbom /)
})

test('S17: long-running services have a health check', () => {
  expect(dockerfile).toMatch(/^HEALTHCHECK/m)
  for (const { name, block } of stores) expect(block, name).toContain('healthcheck:')
})

test('S17: no password is on a command line or in the file', () => {
  const commands = [...text.matchAll(/^\s*(?:command|entrypoint|test):.*(?:\n\s+- .*)*/gm)].map(([command]) => command)

  expect(commands.length).toBeGreaterThan(3)
  expect(text).not.toMatch(/PASSWORD|requirepass|SECRET|_KEYS?:/)
})

test.each(programs)('S17: $name and its migration use one database, with separate roles', ({ name, block }) => {
  const migration = migrations.find((each) => each.name === `${name}-migration`)

  expect(block).toContain(`env_file: deploy/compose/${name}.env`)
  expect(block).toContain(`${name}-migration: { condition: service_completed_successfully }`)
  expect(migration?.block).toContain(`env_file: deploy/compose/${name}-owner.env`)
  expect(migration?.block).toContain('networks: [stores]')
})

test('S17: the role of a program owns and creates nothing', () => {
  const roles = read('deploy/postgres/roles.sql').replace(/^--.*\n/gm, '')

  expect(roles).toContain('create database :"name" owner :"owner";')
  expect(roles).toContain('revoke all on database :"name" from public;')
  expect(roles).not.toMatch(/superuser|createdb|createrole|bypassrls|grant all|grant create/i)
})
