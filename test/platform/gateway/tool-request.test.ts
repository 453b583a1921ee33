// What a tool of a data file sends: address, headers and body, filled with arguments.
import { describe, expect, test } from 'vitest'
import { Profile } from '../../../src/contract/integrations/profile.ts'
import { refusalIn } from '../../../src/platform/gateway/domain/api-refusal.ts'
import { encodedBody } from '../../../src/platform/gateway/domain/encoded-body.ts'
import type { Tool } from '../../../src/platform/gateway/domain/integration.ts'
import { freeRequest } from '../../../src/platform/gateway/domain/request-tool.ts'
import { toolRequest } from '../../../src/platform/gateway/domain/tool-request.ts'

type ToolDraft = { properties?: Record<string, unknown>; request?: Partial<Tool['request']>; api?: object }

const profileOf = ({ properties = {}, request = {}, api = {} }: ToolDraft) => ({
  id: 'filebox',
  displayName: 'Filebox',
  endpoints: { authorization: 'https://filebox.example/authorize', token: 'https://filebox.example/token' },
  account: { from: 'none' },
  scopes: [{ name: 'files' }],
  apiHosts: ['api.filebox.example'],
  api,
  tools: [
    {
      name: 'do',
      description: 'Does it.',
      inputSchema: { type: 'object', properties },
      request: { method: 'POST', url: 'https://api.filebox.example/files', ...request },
    },
  ],
})

function sent(given: ToolDraft, args: Record<string, unknown>) {
  const integration = Profile.parse(profileOf(given))
  const call = toolRequest(integration.tools[0]!, args, integration)
  return { url: call.url.href, headers: call.headers, body: encodedBody(call) }
}

const text = { type: 'string' }

describe('a body', () => {
  const nested = {
    properties: { team: text, name: text, tag: text },
    request: { body: { filter: { team: { id: { eq: '{team}' } } }, tags: ['{tag}'], name: '{name}' } },
  }

  test('is filled wherever its arguments stand', () => {
    const { body } = sent(nested, { team: 't1', name: 'Plan', tag: 'new' })

    expect(JSON.parse(body!)).toEqual({ filter: { team: { id: { eq: 't1' } } }, tags: ['new'], name: 'Plan' })
  })

  test('leaves out what asks for arguments that were not given, with all that stands beside them', () => {
    const { body } = sent(
      {
        properties: { kind: text },
        request: { body: { filter: { property: 'object', value: '{kind}' }, text: 'of {kind}', query: 'fixed' } },
      },
      {},
    )

    expect(body).toBe('{"query":"fixed"}')
  })

  test('leaves out objects and lists of which nothing is left', () => {
    expect(sent(nested, { name: 'Plan' }).body).toBe('{"name":"Plan"}')
  })

  test('is an empty object where nothing was given at all', () => {
    expect(sent(nested, {}).body).toBe('{}')
  })

  test('keeps what an argument says, even if it is empty', () => {
    const whole = { properties: { fields: { type: 'object' } }, request: { body: { fields: '{fields}' } } }

    expect(sent(whole, { fields: {} }).body).toBe('{"fields":{}}')
  })

  test('is a form with brackets where the API wants one', () => {
    const form = {
      properties: { items: { type: 'array' }, email: text },
      request: { bodyType: 'application/x-www-form-urlencoded' as const, body: { email: '{email}', items: '{items}' } },
    }

    const { body } = sent(form, { email: 'a&b=c@acme.example', items: [{ price: 'p1', quantity: 2 }] })

    expect([...new URLSearchParams(body)]).toEqual([
      ['email', 'a&b=c@acme.example'],
      ['items[0][price]', 'p1'],
      ['items[0][quantity]', '2'],
    ])
  })

  test('is text as it was given', () => {
    const upload = {
      properties: { content: text },
      request: { bodyType: 'text/plain' as const, body: '{content}' },
    }

    expect(sent(upload, { content: 'a "b"\n' }).body).toBe('a "b"\n')
  })
})

describe('a header', () => {
  const file = {
    properties: { path: text },
    request: { headers: { 'File-Arg': { path: '{path}' }, 'X-Tenant': '{path}' } },
  }

  test('has texts as they are, and everything else as JSON in ASCII', () => {
    expect(
      sent({ ...file, request: { headers: { 'File-Arg': { path: '{path}' } } } }, { path: '/Grüße' }).headers,
    ).toEqual({ 'file-arg': '{"path":"/Gr\\u00fc\\u00dfe"}' })
  })

  test('is left out with its argument', () => {
    expect(sent(file, {}).headers).toEqual({})
  })

  test.each(['a\r\nX-Admin: 1', 'a\0', 'ü'])('cannot be %j', (path) => {
    expect(() => sent(file, { path })).toThrow('plain ASCII')
  })
})

test('a list in the address becomes one parameter for each item', () => {
  const ranges = {
    properties: { ranges: { type: 'array' } },
    request: { method: 'GET' as const, query: { ranges: '{ranges}', fixed: 'yes' } },
  }

  expect(sent(ranges, { ranges: ['A1:B2', 'C&D'] }).url).toBe(
    'https://api.filebox.example/files?ranges=A1%3AB2&ranges=C%26D&fixed=yes',
  )
})

describe('a tool is refused at start', () => {
  test.each<[string, ToolDraft, string]>([
    ['with a gap that no argument fills', { request: { body: { query: '{ team {id} }' } } }, '{id}: no argument'],
    ['with a header of the request itself', { request: { headers: { Authorization: 'x' } } }, 'does not set itself'],
    [
      'with the header of the access token',
      { api: { tokenHeader: 'X-Token' }, request: { headers: { 'x-token': 'x' } } },
      'header of the access token',
    ],
    ['with a body in a GET', { request: { method: 'GET', body: {} } }, 'must not be sent with GET'],
    ['with the type of a body that it does not have', { request: { bodyType: 'text/plain' } }, 'is of a body'],
  ])('%s', (_, given, message) => {
    expect(() => Profile.parse(profileOf(given))).toThrow(message)
  })
})

describe('the tool for any request', () => {
  const integration = Profile.parse(
    profileOf({ properties: { tenant: text }, request: { headers: { 'File-Tenant': '{tenant}' } } }),
  )
  const url = 'https://api.filebox.example/any'

  test('sends the headers that other tools of the integration send', () => {
    expect(freeRequest({ url, headers: { 'file-tenant': 't1' } }, integration).headers).toEqual({ 'file-tenant': 't1' })
  })

  test.each(['X-HTTP-Method-Override', 'Authorization', 'Host'])('does not send %s', (name) => {
    expect(() => freeRequest({ url, headers: { [name]: 'DELETE' } }, integration)).toThrow('is not one of the headers')
  })

  test('sends a form where it is told to', () => {
    const call = freeRequest(
      { url, method: 'POST', body: { a: { b: 1 } }, bodyType: 'application/x-www-form-urlencoded' },
      integration,
    )

    expect(encodedBody(call)).toBe('a%5Bb%5D=1')
  })
})

const { api } = Profile.parse(profileOf({ api: { successMember: 'ok', errorsMember: 'errors' } }))

test.each([
  ['{"ok":false,"error":"token_revoked"}', { error: 'token_revoked' }],
  ['{"errors":[{"message":"no","extensions":{"code":"FORBIDDEN"}}],"data":null}', { error: 'FORBIDDEN' }],
  ['{"errors":[null]}', { error: '' }],
  ['{"errors":[],"data":{}}', undefined],
  ['{"ok":true}', undefined],
  ['[]', undefined],
  ['null', undefined],
  ['not JSON', undefined],
])('the answer %s with status 200 says that it failed: %j', (body, refusal) => {
  expect(refusalIn(body, api)).toEqual(refusal)
})
