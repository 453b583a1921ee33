// The API of today keeps the promises of the last one that was cut: docs/api-compatibility.md.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inlineSchemas } from '../../../src/kit/http/openapi/inline-schemas.ts'
import { describedApi } from '../../../src/onboarding/app.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'
import { type ApiDocument, breaksIn } from '../../support/oracles/api-compatibility.ts'

const folder = new URL('../../../docs/reference/', import.meta.url)

/** Written out, because a name of a schema is no promise. */
const read = (document: ReturnType<typeof openApiDocument>) => inlineSchemas(document, document) as ApiDocument

/** Serialized as when served, which omits undefined values. */
const today = read(JSON.parse(JSON.stringify(openApiDocument(describedApi('https://connect.example.com')))))

function lastCut(): ApiDocument {
  const cuts = readdirSync(folder).filter((name) => /^openapi-\d+\.\d+\.\d+\.json$/.test(name))
  const newest = cuts.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
  if (!newest) throw new Error('npm run openapi:cut writes the first one')
  return read(JSON.parse(readFileSync(new URL(newest, folder), 'utf8')))
}

/** Corrections of the cut document, which did not match the program. */
const corrections = [
  // By default (CONNECT_COMPLETION=required) a session without one was always refused.
  'POST /connect-sessions: request: the member completionChallenge is now required',
]

/** Absent only from what a new member of the request made, which no client of that release sends. */
const onRequest = [
  // Until the user has picked, of a session with integrationIds.
  'POST /connect-sessions 201: the member integrationId may now be absent',
  'GET /connect-sessions/{connectSessionId} 200: the member integrationId may now be absent',
  'POST /connect-sessions/{connectSessionId}/cancel 200: the member integrationId may now be absent',
  // The same schema, and always there.
  'POST /connections/{connectionId}/relink-sessions 201: the member integrationId may now be absent',
]

test('is compatible with the last cut API', () => {
  expect(breaksIn(lastCut(), today).filter((line) => ![...corrections, ...onRequest].includes(line))).toEqual([])
})

const changed = (change: (document: ApiDocument) => void): ApiDocument => {
  const document = structuredClone(today)
  change(document)
  return document
}

// biome-ignore lint/suspicious/noExplicitAny: parts of a document, changed by hand
const part = (document: ApiDocument, ...path: string[]): any =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document)

const body = ['paths', '/connect-sessions', 'post', 'requestBody', 'content', 'application/json', 'schema']
const link = ['paths', '/links/{linkId}', 'get', 'responses', '200', 'content', 'application/json', 'schema']

test.each<[name: string, change: (document: ApiDocument) => void, words: string]>([
  ['a path', (doc) => delete doc.paths['/links/{linkId}'], 'GET /links/{linkId} was removed'],
  ['a method', (doc) => delete part(doc, 'paths', '/tenants').get, 'GET /tenants was removed'],
  ['a response field', (doc) => delete part(doc, ...link, 'properties').step, 'the member step was removed'],
  [
    'a nested response field',
    (doc) => delete part(doc, ...link, 'properties', 'connection', 'properties').functionUrl,
    '200.connection: the member functionUrl was removed',
  ],
  ['a required response field', (doc) => part(doc, ...link).required.splice(0, 1), 'the member id may now be absent'],
  ['a request field', (doc) => delete part(doc, ...body, 'properties').ttlSeconds, 'ttlSeconds was removed'],
  [
    'a request value',
    (doc) => part(doc, 'paths', '/links', 'get', 'parameters', '1', 'schema').enum.splice(0, 1),
    'the parameter status: the value "pending" was removed',
  ],
  [
    'a filter',
    (doc) => part(doc, 'paths', '/links', 'get').parameters.splice(0, 1),
    'the parameter tenantId was removed',
  ],
  [
    'the type of a field',
    (doc) => Object.assign(part(doc, ...link, 'properties', 'attempts'), { type: 'string' }),
    'type',
  ],
])('losing %s breaks clients', (_name, change, words) => {
  expect(breaksIn(today, changed(change)).join('\n')).toContain(words)
})

test('a new requirement breaks clients', () => {
  const demanding = changed((doc) => part(doc, ...body).required.push('ttlSeconds'))

  expect(breaksIn(today, demanding)).toEqual(['POST /connect-sessions: request: the member ttlSeconds is now required'])
})

test('additions are compatible', () => {
  const richer = changed((doc) => {
    doc.paths['/news'] = { get: { responses: {} } }
    part(doc, ...body, 'properties').note = { type: 'string' }
    part(doc, ...link, 'properties').note = { type: 'string' }
    part(doc, ...link).required.push('note')
    part(doc, ...link, 'properties', 'status').enum.push('paused')
    part(doc, 'paths', '/links', 'get', 'parameters', '1', 'schema').enum.push('paused')
  })

  expect(breaksIn(today, richer)).toEqual([])
})
