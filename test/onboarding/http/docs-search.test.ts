import request from 'supertest'
import { beforeAll, expect, test } from 'vitest'
import { searchIndex } from '../../../public/docs-search-index.js'
import { docsApp } from '../../support/http/docs-app.ts'

type Passage = { address: string; page: string; heading: string; text: string }

let passages: Passage[]
let search: (query: string) => Passage[]

beforeAll(async () => {
  passages = (await request(docsApp()).get('/docs/search.json').expect(200)).body
  search = searchIndex(passages) as (query: string) => Passage[]
})

test.each([
  ['webhok signature', '/docs/guides/receive-webhooks#verify-the-signature-of-a-message'],
  ['verify webhook signature', '/docs/guides/receive-webhooks#verify-the-signature-of-a-message'],
  ['rotate signing secret', '/docs/api/tenants#rotateSigningSecret'],
  ['conect sesions', '/docs/api/connect-sessions'],
  ['consent_denied', '/docs/reference/causes#consent_denied'],
  ['ten minute', '/docs/guides/ten-minute-start#ten-minute-start'],
])('%s finds %s first', (query, address) => {
  expect(search(query)[0]?.address).toBe(address)
})

test('a query that matches nothing finds nothing', () => {
  expect(search('xyzzyplugh')).toEqual([])
  expect(search(' / ')).toEqual([])
})
