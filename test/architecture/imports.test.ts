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

const value = (from: string, to: string): Import => ({
  from,
  to,
  ours: /^(kit|contract|\w+\/)/.test(to),
  typesOnly: false,
})

test.each([
  ['onboarding/http/api/tenants.ts', 'platform/identity/flows/bootstrap.ts'],
  ['platform/gateway/flows/call-tool.ts', 'platform/identity/flows/bootstrap.ts'],
  ['platform/gateway/domain/connection.ts', 'platform/control-plane/domain/kind.ts'],
  ['platform/gateway/compose.ts', 'platform/control-plane/flows/serve-gateway.ts'],
  ['platform/gateway/compose.ts', 'platform/jobs/compose.ts'],
  ['onboarding/domain/link.ts', 'onboarding/flows/start-link.ts'],
  ['onboarding/domain/link.ts', 'zod'],
  ['onboarding/flows/start-link.ts', 'ioredis'],
  ['onboarding/flows/start-link.ts', 'kit/database/redis.ts'],
  ['onboarding/http/pages/connect.ts', 'onboarding/flows/start-link.ts'],
  ['onboarding/http/pages/connect.ts', 'onboarding/adapters/redis/keys.ts'],
  ['demo/main.ts', 'onboarding/main.ts'],
  ['kit/database/redis.ts', 'onboarding/domain/link.ts'],
  ['contract/page.ts', 'kit/crypto/secret.ts'],
])('%s may not import %s', (from, to) => {
  expect(isAllowed(rows, value(from, to))).toBe(false)
})

test.each([
  ['platform/gateway/flows/call-tool.ts', 'platform/shared/domain/failure.ts'],
  ['platform/control-plane/http/resource-operations.ts', 'contract/resource.ts'],
  ['onboarding/adapters/postgres/links.ts', 'kysely'],
  ['platform/compose.ts', 'platform/gateway/compose.ts'],
  ['platform/gateway/compose.ts', 'platform/gateway/adapters/third-party.ts'],
])('%s may import %s', (from, to) => {
  expect(isAllowed(rows, value(from, to))).toBe(true)
})
