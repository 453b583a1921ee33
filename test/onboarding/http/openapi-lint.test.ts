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

test('a linter finds an example that its schema does not allow', async () => {
  const content = { 'application/json': { schema: { type: 'string' }, example: 1 } }
  const get = { responses: { 200: { description: 'What there is.', content } } }

  const complaints = await lintComplaints({ openapi: '3.1.0', info: {}, paths: { '/things': { get } } })

  expect(complaints.filter((line) => line.startsWith('redocly no-invalid-media-type-examples'))).toHaveLength(1)
})
