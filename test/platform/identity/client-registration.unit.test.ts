import { describe, expect, test } from 'vitest'
import {
  claimedName,
  destinationOf,
  isRedirectAllowed,
} from '../../../src/platform/identity/domain/client-registration.ts'
import {
  functionAt,
  mcpAddress,
  metadataAddress,
  personAddress,
  toolResourceAt,
} from '../../../src/platform/shared/domain/function-resource.ts'

describe('open redirects by registration', () => {
  test.each([
    'https://claude.ai/api/mcp/auth_callback',
    'http://127.0.0.1:33418/',
    'http://localhost/callback',
    'http://[::1]:8080/cb',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'com.example.app:/callback',
    'https://app.example',
  ])('allows codes to be sent to %s', (address) => {
    expect(isRedirectAllowed(address)).toBe(true)
  })

  test.each([
    'http://app.example/callback',
    'http://127.0.0.1.evil.example/',
    'http://localhost@evil.example/',
    'https://user:pass@app.example/',
    'https://app.example/#fragment',
    'https://*.example/callback',
    'https://localhost/callback',
    'javascript:alert(1)',
    'data:text/html,hello',
    'file:///etc/passwd',
    'blob:https://app.example/1',
    'ftp://app.example/',
    'mailto:somebody@app.example',
    'evil://callback',
    'https://app.example/\u202etxt',
    ' https://app.example/',
    '',
    'not an address',
    'http://127.0.0.1\\@evil.example/', // T13
    'https:evil.example',
    'http://2130706433/',
    'https://localhost./',
    'https://APP.example/',
    'https://app.example/a/../b',
    `https://app.example/${'a'.repeat(600)}`,
  ])('allows no codes to be sent to %s', (address) => {
    expect(isRedirectAllowed(address)).toBe(false)
  })
})

describe('consent phishing by client names', () => {
  test.each([
    ['Claude', 'Claude'],
    ['  two\n lines\t', 'two lines'],
    ['abc\u202edef\u200b\u0000', 'abcdef'],
    ['x'.repeat(100), 'x'.repeat(60)],
    ['\u200b', undefined],
    [undefined, undefined],
  ])('%j is shown as %j', (name, shown) => {
    expect(claimedName(name)).toBe(shown)
  })

  test.each([
    ['http://127.0.0.1:1/cb', 'an app on this device'],
    ['https://claude.ai/cb', 'claude.ai'],
    ['cursor://x/cb', 'the app on this device that opens cursor links'],
  ])('the destination of %s is shown as %s', (address, words) => {
    expect(destinationOf(address)).toBe(words)
  })
})

describe('the URL of a function as a resource', () => {
  const at = 'https://run.example'

  test('round-trips and is part of its metadata URL', () => {
    const of = { workspace: 'acme', name: 'files' }

    expect(functionAt(at, mcpAddress(at, of))).toEqual(of)
    expect(metadataAddress(mcpAddress('https://x.example/run', of))).toBe(
      'https://x.example/.well-known/oauth-protected-resource/run/acme/functions/files/mcp',
    )
  })

  test.each([
    'https://run.example/acme/functions/files/mcp/',
    'https://run.example/acme/functions/files/mcp?x=1',
    'https://run.example/acme/functions/files',
    'https://run.example/acme/functions/../mcp',
    'https://run.example/ACME/functions/files/mcp',
    'https://run.example.evil.example/acme/functions/files/mcp',
    'https://run.example:443/acme/functions/files/mcp',
    'http://run.example/acme/functions/files/mcp',
    '',
  ])('%s is not one', (address) => {
    expect(functionAt(at, address)).toBeUndefined()
  })

  test('that of all functions of a person has no function', () => {
    const resource = personAddress(at, 'acme')

    expect(toolResourceAt(at, resource)).toEqual({ workspace: 'acme', name: undefined })
    expect(toolResourceAt(at, mcpAddress(at, { workspace: 'acme', name: 'files' }))?.name).toBe('files')
    expect(metadataAddress(resource)).toBe('https://run.example/.well-known/oauth-protected-resource/acme/mcp')
  })

  test.each([
    '/mcp',
    '/acme/mcp/',
    '/ACME/mcp',
    '/acme/mcp?x=1',
    '/a/b/mcp',
    '/../mcp',
    '/acme-mcp',
    '.evil.example/acme/mcp',
  ])('%s is not that of all functions', (path) => {
    expect(toolResourceAt(at, at + path)).toBeUndefined()
  })
})
