import { expect, test } from 'vitest'
import { isAllowed, readImportTable } from './import-table.ts'
import { type Import, importsOf, sourceFiles } from './source-imports.ts'

const rows = readImportTable()

test('every import in src is one that the table in ARCHITECTURE.md allows', () => {
  const imports = sourceFiles().flatMap(importsOf)

  const forbidden = imports.filter((each) => !isAllowed(rows, each))

  expect(forbidden.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
})

test('every file in src has a row in the table', () => {
  const homeless = sourceFiles().filter((file) => !rows.some(({ from }) => from.test(file)))

  expect(homeless).toEqual([])
})

test('no file imports itself, however long the way', () => {
  const arrows = new Map(
    sourceFiles().map((file) => [
      file,
      importsOf(file)
        .filter(({ ours }) => ours)
        .map(({ to }) => to),
    ]),
  )

  expect(circleIn(arrows)).toEqual([])
})

test('a circle is found', () => {
  const arrows = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', []],
    ['d', ['b']],
  ])

  expect(circleIn(arrows)).toEqual(['b', 'd', 'b'])
})

/** The files of the first circle that is found, beginning and ending with the same one; empty where there is none. */
function circleIn(arrows: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const walk = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    for (const next of arrows.get(file) ?? []) {
      const circle = walk(next, [...path, file])
      if (circle.length > 0) return circle
    }
    done.add(file)
    return []
  }
  for (const file of arrows.keys()) {
    const circle = walk(file, [])
    if (circle.length > 0) return circle
  }
  return []
}

const value = (from: string, to: string): Import => ({
  from,
  to,
  ours: /^(kit|contract|\w+\/)/.test(to),
  typesOnly: false,
})

test.each([
  ['onboarding/tenants/http/tenants.ts', 'platform/identity/flows/bootstrap.ts'],
  ['platform/gateway/flows/call-tool.ts', 'platform/identity/flows/bootstrap.ts'],
  ['platform/gateway/domain/connection.ts', 'platform/control-plane/domain/kind.ts'],
  ['platform/gateway/compose.ts', 'platform/control-plane/flows/serve-gateway.ts'],
  ['platform/gateway/compose.ts', 'platform/jobs/compose.ts'],
  ['onboarding/domain/link.ts', 'onboarding/linking/flows/start-link.ts'],
  ['onboarding/domain/link.ts', 'zod'],
  ['onboarding/linking/flows/start-link.ts', 'ioredis'],
  ['onboarding/linking/flows/start-link.ts', 'kit/database/redis.ts'],
  ['onboarding/linking/http/pages/connect.ts', 'onboarding/linking/flows/start-link.ts'],
  ['onboarding/linking/http/pages/connect.ts', 'onboarding/adapters/redis/keys.ts'],
  ['onboarding/linking/flows/start-link.ts', 'onboarding/connections/flows/relink-connection.ts'],
  ['onboarding/provisioning/flows/sweep-links.ts', 'onboarding/webhooks/flows/deliver-webhooks.ts'],
  ['onboarding/webhooks/adapters/webhooks.ts', 'onboarding/provisioning/adapters/postgres/links.ts'],
  ['onboarding/http/route.ts', 'onboarding/linking/http/links.ts'],
  ['onboarding/tenants/http/tenants.ts', 'onboarding/flows.ts'],
  ['demo/main.ts', 'onboarding/main.ts'],
  ['kit/database/redis.ts', 'onboarding/domain/link.ts'],
  ['contract/page.ts', 'kit/crypto/secret.ts'],
])('%s may not import %s', (from, to) => {
  expect(isAllowed(rows, value(from, to))).toBe(false)
})

test.each([
  ['platform/gateway/flows/call-tool.ts', 'platform/shared/domain/failure.ts'],
  ['platform/control-plane/http/resource-operations.ts', 'contract/resource.ts'],
  ['onboarding/provisioning/adapters/postgres/links.ts', 'pg'],
  ['onboarding/connections/flows/relink-connection.ts', 'onboarding/linking/flows/mint-connect-session.ts'],
  ['onboarding/console/adapters/support-ledger.ts', 'onboarding/provisioning/adapters/postgres/links.ts'],
  ['onboarding/linking/http/links.ts', 'onboarding/http/route.ts'],
  ['platform/compose.ts', 'platform/gateway/compose.ts'],
  ['platform/compose.ts', 'platform/gateway/adapters/third-party.ts'],
  ['platform/gateway/compose.ts', 'platform/gateway/adapters/third-party.ts'],
])('%s may import %s', (from, to) => {
  expect(isAllowed(rows, value(from, to))).toBe(true)
})
