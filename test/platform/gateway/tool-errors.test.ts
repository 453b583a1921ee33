import { describe, expect, test } from 'vitest'
import { ToolErrorMeta } from '../../../src/contract/gateway/tool-result.ts'
import { ProfileShape } from '../../../src/contract/integrations/profile-shape.ts'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { listen } from '../../../src/kit/http/http-server.ts'
import { thirdParty } from '../../../src/platform/gateway/adapters/third-party.ts'
import {
  AddressBlocked,
  ClientRejected,
  GrantRevoked,
  ProfileMismatch,
  RefreshRefused,
  ThirdPartyError,
} from '../../../src/platform/gateway/domain/connection.ts'
import type { ApiAnswer } from '../../../src/platform/gateway/domain/ports.ts'
import { callTool } from '../../../src/platform/gateway/flows/call-tool.ts'

const integration = ProfileShape.parse({
  id: 'filebox',
  displayName: 'Filebox',
  endpoints: { authorization: 'https://filebox.example/authorize', token: 'https://filebox.example/token' },
  brokenGrantErrors: ['invalid_grant', 'token_revoked'],
  scopes: [{ name: 'files.read' }, { name: 'files.write', optional: true }],
  api: { successMember: 'ok' },
  apiHosts: ['filebox.example'],
  tools: [
    {
      name: 'list_files',
      description: 'Lists files.',
      inputSchema: { type: 'object', properties: { limit: { type: 'integer' } } },
      request: { method: 'GET', url: 'https://filebox.example/files' },
    },
  ],
})

const connection = {
  id: 'c1',
  version: 1,
  workspace: 'acme',
  name: 'files',
  integration: 'filebox',
  config: {},
  secrets: new Secret({}),
}

const api = (status: number, text: string, contentType = 'application/json'): ApiAnswer => ({
  status,
  contentType,
  bytes: Buffer.from(text),
})

type Outside = {
  token?: Error
  answer?: ApiAnswer
  args?: Record<string, unknown>
  tool?: 'request'
  scopes?: string[] | undefined
  /** Replaces the tool's own. */
  url?: string
}

/** Calls the tool against a scripted third party. */
const call = ({ token, answer = api(200, '{"ok": true}'), args = {}, tool, scopes, url }: Outside) => {
  const accessToken = async () => {
    if (token) throw token
    return new Secret('access')
  }
  const grantNotes = { revoked: async () => {}, restored: async () => {}, failed: async () => {} }
  const [own] = integration.tools
  const request = url === undefined ? own?.request : { ...own?.request, url }
  const known = own && ({ ...own, request, ...(scopes && { scopes }) } as typeof own)
  const open = { functionName: 'f', tool: tool ? undefined : known, integration, connection }
  const run = callTool({ accessToken, thirdParty: { call: async () => answer }, grantNotes })
  return run(open, args, new AbortController().signal)
}

describe('a failing tool has a code for the next step', () => {
  test.each<[code: string, what: string, outside: Outside]>([
    ['grant_revoked', 'a token endpoint that rejects the grant', { token: new GrantRevoked('files') }],
    ['grant_revoked', 'an API that reports a dead grant', { answer: api(200, '{"ok":false,"error":"token_revoked"}') }],
    ['client_rejected', 'a token endpoint that rejects the client', { token: new ClientRejected('invalid_client') }],
    ['refresh_refused', 'a token endpoint that gives no reason', { token: new RefreshRefused('empty 400') }],
    ['profile_mismatch', 'a refresh that contradicts the profile', { token: new ProfileMismatch('no such type') }],
    ['address_blocked', 'a server at a blocked address', { token: new AddressBlocked('10.0.0.1') }],
    ['third_party_unavailable', 'a third party that does not respond', { token: new ThirdPartyError('no answer') }],
    ['third_party_error', 'an API that answers 500', { answer: api(500, '') }],
    ['third_party_error', 'an API that rejects this call', { answer: api(403, 'no') }],
    ['third_party_error', 'an API that returns an error', { answer: api(200, '{"ok":false,"error":"not_found"}') }],
    ['profile_mismatch', 'a tool outside the hosts of its integration', { url: 'https://elsewhere.example/files' }],
    ['arguments_invalid', 'invalid arguments', { args: { limit: 'all' } }],
    ['arguments_invalid', 'a foreign host', { tool: 'request', args: { url: 'https://evil.example/' } }],
  ])('%s: %s', async (code, _what, outside) => {
    const { isError, code: told } = await call(outside)

    expect([isError, told]).toEqual([true, code])
    expect(ToolErrorMeta.parse({ code: told }).code).toBe(code)
  })

  test.each([
    [
      403,
      ['files.read'],
      'This tool needs the scope files.read. If it was not granted, the account has to be linked again.',
    ],
    [403, ['files.read', 'files.write'], 'This tool needs the scope files.read and files.write.'],
    [403, undefined, undefined],
    [404, ['files.read'], undefined],
  ])('an API that answers %i to a tool of the scopes %j', async (status, scopes, hint) => {
    const result = await call({ answer: api(status, 'no'), scopes })

    const text = result.content.kind === 'text' ? result.content.text : ''
    expect(text).toContain(`The third party answered ${status}: no`)
    if (hint === undefined) expect(text).not.toContain('scope')
    else expect(text).toContain(hint)
  })

  const google = (reason: string) =>
    JSON.stringify({ error: { code: 403, details: [{ reason, domain: 'googleapis.com' }] } })
  const slack = (needed: string, ok = false) => JSON.stringify({ ok, error: 'missing_scope', needed, provided: 'a' })
  const refused = (scopes: ApiAnswer['scopes'], text = 'no') => ({
    answer: { ...api(403, text), scopes: scopes ?? {} },
  })
  const bearer = (rest: string) => refused({ challenge: `Bearer realm="x", ${rest}` })
  const writes = { scopes: ['files.write'] }

  test.each<[what: string, outside: Outside, scope: string]>([
    ['RFC 6750', bearer('error="insufficient_scope", scope="files.write"'), 'files.write'],
    ['RFC 6750, without a scope', { ...bearer('error="insufficient_scope"'), ...writes }, 'files.write'],
    ['Google', { answer: api(403, google('ACCESS_TOKEN_SCOPE_INSUFFICIENT')), ...writes }, 'files.write'],
    ['Slack', { answer: api(200, slack('files.read,files.write')) }, 'files.read files.write'],
    ['GitHub', { ...refused({ granted: 'files.read', accepted: 'all, files.write' }), ...writes }, 'files.write'],
  ])('insufficient_scope: %s says that the token lacks a scope', async (_, outside, scope) => {
    expect(await call(outside)).toMatchObject({ isError: true, code: 'insufficient_scope', scope })
  })

  test.each<[what: string, outside: Outside]>([
    ['without a challenge, although the tool has a scope', { answer: api(403, 'no'), ...writes }],
    ['with another error in the challenge', { ...bearer('error="invalid_request"'), ...writes }],
    ['with a scope that a re-link does not request', bearer('error="insufficient_scope", scope="admin"')],
    ['for no scope that is known', bearer('error="insufficient_scope"')],
    ['of Google, for the resource', { answer: api(403, google('USER_PROJECT_DENIED')), ...writes }],
    ['of Slack, for a scope that a re-link does not request', { answer: api(200, slack('admin')) }],
    [
      'of GitHub, to a token that has the scope',
      { ...refused({ granted: 'files.write', accepted: 'all' }), ...writes },
    ],
    ['of GitHub, for another reason', { ...refused({ granted: 'all', accepted: 'all' }), ...writes }],
    ['of GitHub, to a tool without a scope', refused({ granted: '', accepted: 'all' })],
    ['of Microsoft Graph', { answer: api(403, '{"error":{"code":"Authorization_RequestDenied"}}'), ...writes }],
    ['of a page', { answer: api(404, 'no'), ...writes }],
  ])('third_party_error: an ordinary refusal %s', async (_, outside) => {
    expect(await call(outside)).toMatchObject({ isError: true, code: 'third_party_error' })
  })

  test('a successful result with the words of a refusal is a result', async () => {
    expect(await call({ answer: api(200, slack('files.write', true)) })).toMatchObject({ isError: false })
  })

  test('and a successful tool has no error code', async () => {
    expect(await call({})).toEqual({ content: { kind: 'text', text: '{"ok": true}' }, isError: false })
  })
})

describe('an error of the token endpoint is mapped to a code', () => {
  test.each([
    ['invalid_grant', GrantRevoked],
    ['invalid_client', ClientRejected],
    ['bad_client_secret', ClientRejected],
    ['temporarily_unavailable', ThirdPartyError],
    ['unsupported_grant_type', ProfileMismatch],
    ['invalid_request', ProfileMismatch],
    ['a_word_of_its_own', RefreshRefused],
  ])('%s', async (error, kind) => {
    const server = await listen((_req, res) => void res.writeHead(400).end(JSON.stringify({ error })), {
      host: '127.0.0.1',
      port: 0,
    })
    const outside = thirdParty()

    const endpoints = {
      authorization: 'https://filebox.example/authorize',
      token: `http://127.0.0.1:${server.port}/token`,
    }
    const refusal = await outside.refresh({ ...integration, endpoints }, connection).catch((thrown) => thrown)
    await outside.close()
    await server.close(0)

    expect(refusal.constructor).toBe(kind)
  })
})
