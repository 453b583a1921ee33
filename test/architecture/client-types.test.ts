// Types of packages/client are those of today's document: they are checked in, and nobody edits them.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generateTypes } from '../../packages/client/generate/generate-types.mjs'
import { describedApi } from '../../src/onboarding/app.ts'
import { openApiDocument } from '../../src/onboarding/http/openapi/openapi.ts'

test('types and operations of the client are those of the API: if not, run `npm run client:types`', async () => {
  const document = JSON.parse(JSON.stringify(openApiDocument(describedApi('https://connect.example.com'))))

  for (const [file, text] of Object.entries(await generateTypes(document))) {
    expect(readFileSync(new URL(`../../packages/client/src/${file}`, import.meta.url), 'utf8')).toBe(text)
  }
})
