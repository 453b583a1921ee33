import { expect, test } from 'vitest'
import { isAllowed, readImportTable } from './import-table.ts'
import { type Import, importsOf, sourceFiles } from './source-imports.ts'

const rows = readImportTable()
const imports = new Map(sourceFiles().map((file) => [file, importsOf(file)]))

test('the table in ARCHITECTURE.md allows all imports in src', () => {
  const forbidden = [...imports.values()].flat().filter((each) => !isAllowed(rows, each))

  expect(forbidden.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
})

test('all files in src have a row in the table', () => {
  const homeless = [...imports.keys()].filter((file) => !rows.some(({ from }) => from.test(file)))

  expect(homeless).toEqual([])
})

test('no import cycles', () => {
  const arrows = [...imports].map(([file, all]) => [file, all.flatMap(({ ours, to }) => (ours ? [to] : []))] as const)

  expect(circleIn(new Map(arrows))).toEqual([])
})

test('the check finds a cycle', () => {
  const arrows = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', []],
    ['d', ['b']],
  ])

  expect(circleIn(arrows)).toEqual(['b', 'd', 'b'])
})

/** The first cycle, which begins and ends with the same file, or an empty list. */
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
  ['onboarding/domain/link.ts', 'pg'],
  ['onboarding/linking/flows/start-link.ts', 'ioredis'],
  ['onboarding/linking/flows/start-link.ts', 'kit/database/redis.ts'],
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
