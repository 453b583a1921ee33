import { describe, expect, test } from 'vitest'
import { Profile } from '../../../src/contract/integrations/profile.ts'
import type { Tool } from '../../../src/platform/gateway/domain/integration.ts'
import { freeRequest } from '../../../src/platform/gateway/domain/request-tool.ts'
import { refusalIn } from '../../../src/platform/gateway/domain/tool-failure.ts'
import { encodedBody, toolRequest } from '../../../src/platform/gateway/domain/tool-request.ts'

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

  test('is filled at every placeholder', () => {
    const { body } = sent(nested, { team: 't1', name: 'Plan', tag: 'new' })

    expect(JSON.parse(body!)).toEqual({ filter: { team: { id: { eq: 't1' } } }, tags: ['new'], name: 'Plan' })
  })

  test('omits objects whose arguments were not given', () => {
    const { body } = sent(
      {
        properties: { kind: text },
        request: { body: { filter: { property: 'object', value: '{kind}' }, text: 'of {kind}', query: 'fixed' } },
      },
      {},
    )

    expect(body).toBe('{"query":"fixed"}')
  })

  test('omits objects and lists that become empty', () => {
    expect(sent(nested, { name: 'Plan' }).body).toBe('{"name":"Plan"}')
  })

  test('is an empty object if no arguments are given', () => {
    expect(sent(nested, {}).body).toBe('{}')
  })

  test('keeps the value of an argument even if it is empty', () => {
    const whole = { properties: { fields: { type: 'object' } }, request: { body: { fields: '{fields}' } } }

    expect(sent(whole, { fields: {} }).body).toBe('{"fields":{}}')
  })

  test('is a form with brackets if the API wants one', () => {
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

  test('is sent as plain text if bodyType is text/plain', () => {
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

  test('contains text unchanged and other values as ASCII JSON', () => {
    expect(
      sent({ ...file, request: { headers: { 'File-Arg': { path: '{path}' } } } }, { path: '/Grüße' }).headers,
    ).toEqual({ 'file-arg': '{"path":"/Gr\\u00fc\\u00dfe"}' })
  })

  test('is omitted with its argument', () => {
    expect(sent(file, {}).headers).toEqual({})
  })

  test.each(['a\r\nX-Admin: 1', 'a\0', 'ü'])('cannot be %j', (path) => {
    expect(() => sent(file, { path })).toThrow('printable ASCII')
  })
})

test('a list in the URL becomes one parameter per item', () => {
  const ranges = {
    properties: { ranges: { type: 'array' } },
    request: { method: 'GET' as const, query: { ranges: '{ranges}', fixed: 'yes' } },
  }

  expect(sent(ranges, { ranges: ['A1:B2', 'C&D'] }).url).toBe(
    'https://api.filebox.example/files?ranges=A1%3AB2&ranges=C%26D&fixed=yes',
  )
})

describe('a tool is rejected at start', () => {
  test.each<[string, ToolDraft, string]>([
    [
      'with a gap that no argument fills',
      { request: { body: { query: '{ team {id} }' } } },
      '{id}: there is no such argument',
    ],
    [
      'with a header of the request itself',
      { request: { headers: { Authorization: 'x' } } },
      'headers that the program sets',
    ],
    [
      'with the header of the access token',
      { api: { tokenHeader: 'X-Token' }, request: { headers: { 'x-token': 'x' } } },
      'header of the access token',
    ],
    ['with a body in a GET', { request: { method: 'GET', body: {} } }, 'must not be sent with GET'],
    ['with a content type but no body', { request: { bodyType: 'text/plain' } }, 'requires a body'],
  ])('%s', (_, given, message) => {
    expect(() => Profile.parse(profileOf(given))).toThrow(message)
  })
})

describe('the request tool', () => {
  const integration = Profile.parse(
    profileOf({ properties: { tenant: text }, request: { headers: { 'File-Tenant': '{tenant}' } } }),
  )
  const url = 'https://api.filebox.example/any'

  test('sends headers that other tools of the integration send', () => {
    expect(freeRequest({ url, headers: { 'file-tenant': 't1' } }, integration).headers).toEqual({ 'file-tenant': 't1' })
  })

  test.each(['X-HTTP-Method-Override', 'Authorization', 'Host'])('does not send %s', (name) => {
    expect(() => freeRequest({ url, headers: { [name]: 'DELETE' } }, integration)).toThrow('is not one of the headers')
  })

  test('sends a form if requested', () => {
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
])('the response %s with status 200 is read as an error: %j', (body, refusal) => {
  expect(refusalIn(body, api)).toEqual(refusal)
})
