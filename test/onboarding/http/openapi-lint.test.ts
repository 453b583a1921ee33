import { expect, test } from 'vitest'
import { describedApi } from '../../../src/onboarding/app.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'
import { lintComplaints } from '../../support/oracles/openapi-linter.ts'

test('the OpenAPI document passes the linter', { timeout: 300_000 }, async () => {
  const document = openApiDocument(describedApi('https://connect.acme.dev'))

  expect(await lintComplaints(document)).toEqual([])
})

test('the linter finds an example that violates its schema', async () => {
  const content = { 'application/json': { schema: { type: 'string' }, example: 1 } }
  const get = { responses: { 200: { description: 'What there is.', content } } }

  const complaints = await lintComplaints({ openapi: '3.1.0', info: {}, paths: { '/things': { get } } })

  expect(complaints.filter((line) => line.startsWith('no-invalid-media-type-examples'))).toHaveLength(1)
})
