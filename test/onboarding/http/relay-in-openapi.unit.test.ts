import { expect, test } from 'vitest'
import { describedApi } from '../../../src/onboarding/app.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'
import { relayPath } from '../../../src/onboarding/http/openapi/relay-paths.ts'

type RelayOperation = { operationId: string; requestBody?: object; parameters: Array<{ name: string }> }

const document = openApiDocument(describedApi('https://connect.example.com'))
const relay = document.paths[relayPath] as unknown as Record<string, RelayOperation>

test('the relay is described for each method, and its clients are written by hand', () => {
  expect(Object.keys(relay)).toEqual(['get', 'post', 'put', 'patch', 'delete'])
  expect(describedApi('').routes.map(({ path }) => path)).not.toContain(relayPath)
})

test('only GET has no body', () => {
  const withBody = Object.entries(relay).filter(([, operation]) => operation.requestBody)

  expect(withBody.map(([method]) => method)).toEqual(['post', 'put', 'patch', 'delete'])
})

test('each parameter of the path is described, and each operation has its own name', () => {
  const names = [...relayPath.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const ids = Object.values(relay).map(({ operationId }) => operationId)

  for (const { parameters } of Object.values(relay)) {
    expect(parameters.map(({ name }) => name)).toEqual(names)
  }
  expect(new Set(ids).size).toBe(ids.length)
})
