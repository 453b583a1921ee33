// Raw 2xx responses of token endpoints, and the outcome of each. docs/reference/token-answers.md has the same rows.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

/**
 * `linked`: with the refresh token of the answer. `revoked`: the link failed and the token was revoked. `kept`: the link
 * needs attention, with the bytes sealed in escrow. `nothing`: the link failed; there was no token. `unknown`: no byte came.
 */
export type Outcome = 'linked' | 'revoked' | 'kept' | 'nothing' | 'unknown'

export type TokenAnswer = {
  outcome: Outcome
  status?: string
  headers?: string[]
  body: string | Buffer
  ends?: 'cut off' | 'without a length'
}

export const refreshToken = 'refresh-token-of-the-table'
export const accessToken = 'access-token-of-the-table'

const members = {
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: refreshToken,
  scope: 'files.read',
}
const json = JSON.stringify(members)
const form = new URLSearchParams({ ...members, expires_in: '3600' }).toString()
const changed = (more: Record<string, unknown>) => JSON.stringify({ ...members, ...more })
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const encoded = (encoding: string) => [`Content-Encoding: ${encoding}`]
const type = (contentType: string) => [`Content-Type: ${contentType}`]

export const largestAnswer = 64 * 1024

export const tokenAnswers: Record<string, TokenAnswer> = {
  'JSON as in RFC 6749': { outcome: 'linked', body: json },
  'status 201': { outcome: 'linked', status: '201 Created', body: json },

  'compressed with gzip, although not requested': {
    outcome: 'linked',
    headers: encoded('gzip'),
    body: gzipSync(json),
  },
  'gzip without the header': { outcome: 'linked', body: gzipSync(json) },
  'compressed with Brotli': { outcome: 'linked', headers: encoded('br'), body: brotliCompressSync(json) },
  'deflate, in zlib format': { outcome: 'linked', headers: encoded('deflate'), body: deflateSync(json) },
  'deflate, raw': { outcome: 'linked', headers: encoded('deflate'), body: deflateRawSync(json) },
  'compressed twice': {
    outcome: 'linked',
    headers: encoded('gzip, br'),
    body: brotliCompressSync(gzipSync(json)),
  },
  'a header names a compression that was not applied': { outcome: 'linked', headers: encoded('gzip'), body: json },
  'an unknown compression': { outcome: 'kept', headers: encoded('pack200'), body: Buffer.from([0xca, 0xfe, 0xd0]) },
  'truncated gzip': { outcome: 'kept', headers: encoded('gzip'), body: gzipSync(json).subarray(0, 40) },
  'gzip that expands to 50 MB': {
    outcome: 'kept',
    headers: encoded('gzip'),
    body: gzipSync(Buffer.concat([Buffer.alloc(50_000_000, ' '), Buffer.from(json)])),
  },

  'UTF-8 with a byte order mark': { outcome: 'linked', body: `\uFEFF${json}` },
  'UTF-16, little-endian, with a byte order mark': { outcome: 'linked', body: utf16(`\uFEFF${json}`) },
  'UTF-16, big-endian, with a byte order mark': { outcome: 'linked', body: utf16(`\uFEFF${json}`).swap16() },
  'UTF-16 without a mark': {
    outcome: 'linked',
    headers: type('application/json; charset=utf-16le'),
    body: utf16(json),
  },
  'Latin-1': {
    outcome: 'linked',
    headers: type('application/json; charset=iso-8859-1'),
    body: Buffer.from(changed({ user: 'Zoë' }), 'latin1'),
  },
  'UTF-8 declared as UTF-16': {
    outcome: 'linked',
    headers: type('application/json; charset=utf-16'),
    body: json,
  },
  'UTF-32': {
    outcome: 'kept',
    body: Buffer.from([...json].flatMap((sign) => [0, 0, 0, sign.charCodeAt(0)])),
  },

  'form-encoded': { outcome: 'linked', headers: type('application/x-www-form-urlencoded'), body: form },
  'JSON as text/html': { outcome: 'linked', headers: type('text/html'), body: json },
  'no content type': { outcome: 'linked', headers: [], body: json },
  'a list of one object': { outcome: 'linked', body: `[${json}]` },
  'a list of two grants': { outcome: 'kept', body: `[${json},${changed({ refresh_token: 'another' })}]` },
  'nested one level': { outcome: 'linked', body: `{"status":"ok","data":${json}}` },
  'nested one level, two grants': {
    outcome: 'kept',
    body: `{"user":${json},"bot":${changed({ refresh_token: 'another' })}}`,
  },
  'nested two levels': { outcome: 'kept', body: `{"result":{"data":${json}}}` },
  'JSON in a JSON string': { outcome: 'linked', body: JSON.stringify(json) },
  'trailing bytes': { outcome: 'linked', body: `${json}\n-- served by node 7` },
  'padded with NUL bytes': { outcome: 'linked', body: `${json}${'\0'.repeat(16)}` },
  'a prefix against script inclusion': { outcome: 'linked', body: `)]}',\n${json}` },
  'HTML around it': {
    outcome: 'linked',
    headers: type('text/html'),
    body: `<html><style>pre { color: red }</style><pre>${json}</pre></html>`,
  },
  'only HTML': { outcome: 'kept', headers: type('text/html'), body: '<html><h1>Welcome</h1></html>' },
  'a NUL byte inside': { outcome: 'kept', body: json.replace('refresh-token', 'refresh\0token') },
  'truncated JSON': { outcome: 'kept', body: json.slice(0, -20) },
  'JSON with NaN': { outcome: 'kept', body: json.replace('3600', 'NaN') },
  'a number': { outcome: 'kept', body: '42' },
  'a text': { outcome: 'kept', body: '"refresh-token-of-the-table"' },

  'a member twice': { outcome: 'linked', body: json.replace('{', '{"refresh_token":"the first of two",') },
  'token_type missing': { outcome: 'linked', body: changed({ token_type: undefined }) },
  'an unknown token_type': { outcome: 'revoked', body: changed({ token_type: 'mystery' }) },
  'an expiry in words': { outcome: 'linked', body: changed({ expires_in: 'soon' }) },
  'scopes as a list': { outcome: 'linked', body: changed({ scope: ['files.read'] }) },
  'members in camel case': { outcome: 'kept', body: `{"accessToken":"a","refreshToken":"${refreshToken}"}` },
  'tokens as numbers': { outcome: 'kept', body: changed({ access_token: 12, refresh_token: 34 }) },
  'a refresh token and no access token': { outcome: 'revoked', body: changed({ access_token: undefined }) },
  'a refresh token with spaces': { outcome: 'revoked', body: changed({ refresh_token: 'with a space' }) },
  'an error beside a grant, with status 200': {
    outcome: 'revoked',
    body: changed({ access_token: undefined, error: 'server_error' }),
  },
  'an error with status 200': {
    outcome: 'nothing',
    body: '{"error":"invalid_grant","error_description":"access_token"}',
  },
  'an empty object': { outcome: 'nothing', body: '{}' },
  'an empty list': { outcome: 'nothing', body: '[]' },
  'an empty body': { outcome: 'nothing', body: '' },
  'white space': { outcome: 'nothing', body: ' \r\n ' },
  'status 204': { outcome: 'nothing', status: '204 No Content', body: '' },

  'a complete body shorter than its declared length': { outcome: 'linked', body: json, ends: 'cut off' },
  'a truncated body': { outcome: 'kept', body: json.slice(0, 60), ends: 'cut off' },
  'only headers, then cut off': { outcome: 'unknown', body: '', ends: 'cut off' },
  'longer than the limit': {
    outcome: 'kept',
    body: `{"padding":"${'x'.repeat(largestAnswer)}",${json.slice(1)}`,
  },
  'an endless flood': { outcome: 'kept', body: Buffer.alloc(2_000_000, 'x'), ends: 'without a length' },
}
