import { expect, test } from 'vitest'
import { describedApi } from '../../../src/onboarding/app.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'
import { lintComplaints } from '../../support/oracles/openapi-linters.ts'

test('two linters have nothing to say about the document, by their recommended rules', {
  timeout: 300_000,
}, async () => {
  const document = openApiDocument(describedApi('https://connect.acme.dev'))

  expect(await lintComplaints(document)).toEqual([])
})
