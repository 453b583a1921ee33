import { expect, test } from 'vitest'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import type { Integration } from '../../../../src/onboarding/domain/integration.ts'
import {
  areExtras,
  chosenScopes,
  lackedScopes,
  requestedBy,
  scopeConfig,
  scopeProblem,
  withCalledScopes,
  withFirstScopes,
} from '../../../../src/onboarding/domain/linking/scope-choice.ts'
import { type ProfileData, profile } from '../../../../src/onboarding/integrations/profile.ts'

const data: ProfileData = {
  id: 'mail',
  displayName: 'Mail',
  endpoints: { authorization: 'https://mail.example/authorize', token: 'https://mail.example/token' },
  account: { from: 'token_response', id: 'id', label: 'email' },
  scopes: [
    { name: 'offline_access' },
    { name: 'profile.read', always: true },
    { name: 'mail.read' },
    { name: 'mail.send' },
    { name: 'mail.tags', optional: true },
  ],
  optionalScopes: [{ name: 'calendar.read' }, { name: 'calendar.write' }],
}
const integrationOf = (more: Partial<ProfileData> = {}): Integration => ({
  ...profile({ ...data, ...more }),
  client: undefined,
})
const mail = integrationOf()

const connectionOf = (more: Partial<Connection> = {}) =>
  ({ scopes: ['profile.read', 'mail.read', 'mail.send'], config: {}, status: 'active', ...more }) as Connection

const names = (integration: Integration) => integration.scopes.map(({ name }) => name)
const usual = ['offline_access', 'profile.read', 'mail.read', 'mail.send', 'mail.tags']

test('without scopes, a session requests those of the integration', () => {
  expect(names(requestedBy(mail, undefined))).toEqual(usual)
})

test('a session requests the scopes that it names, and those that linking needs', () => {
  expect(names(requestedBy(mail, ['mail.read', 'calendar.read']))).toEqual([
    'offline_access',
    'profile.read',
    'mail.read',
    'calendar.read',
  ])
})

test('a named scope is required unless the integration says that it is optional', () => {
  const { scopes } = requestedBy(mail, ['mail.read', 'calendar.read'])

  expect(scopes.filter(({ optional }) => optional).map(({ name }) => name)).toEqual(['calendar.read'])
})

test.each([
  ['a scope of another app', ['mail.read', 'drive'], 1],
  ['two scopes in one', ['mail.read mail.send'], 0],
  ['another case', ['Mail.Read'], 0],
  ['the name of a config value', ['requested_scopes'], 0],
])('rejects %s and names what is allowed', (_, named, at) => {
  expect(scopeProblem(mail, named)).toEqual({
    at,
    detail: `is not allowed for this integration. Allowed: ${[...usual, 'calendar.read', 'calendar.write'].join(', ')}`,
  })
})

test('rejects scopes for apps and servers that choose them', () => {
  const ofApp = integrationOf({ scopes: [], optionalScopes: [], scopesFrom: 'app' })
  const ofServer = {
    ...profile({ id: 'notes', displayName: 'Notes', mcpUrl: 'https://notes.example/mcp' }),
    client: undefined,
  }

  expect(scopeProblem(ofApp, ['mail.read'])?.detail).toContain('where its OAuth client is registered')
  expect(scopeProblem(ofServer, ['notes.read'])?.detail).toContain('the MCP server names its scopes')
})

test('an MCP server is asked for the scopes of a connection that was created with them', () => {
  const notes: Integration = {
    ...profile({
      id: 'notes',
      displayName: 'Notes',
      mcpUrl: 'https://notes.example/mcp',
      scopes: [{ name: 'notes.read' }, { name: 'notes.write' }],
    }),
    client: undefined,
  }
  const created = connectionOf({ scopes: [], status: 'not_linked', config: chosenScopes(notes, ['notes.read']) })

  expect(names(withFirstScopes(notes, undefined, created))).toEqual(['notes.read'])
  expect(names(withFirstScopes(notes, undefined, connectionOf()))).toEqual(['notes.read', 'notes.write'])
})

test('a re-link requests what the connection requests and has, and adds what the session names', () => {
  const connection = connectionOf({
    config: { requested_scopes: 'mail.read' },
    scopes: ['profile.read', 'mail.read', 'mail.tags'],
  })

  expect(scopeConfig(mail, ['calendar.read'], connection)).toEqual({
    requested_scopes: 'mail.read',
    added_scopes: 'mail.tags calendar.read',
  })
  expect(names(requestedBy(mail, ['calendar.read'], connection))).toEqual([
    'offline_access',
    'profile.read',
    'mail.read',
    'mail.tags',
    'calendar.read',
  ])
})

test('a re-link drops a scope that the operator no longer allows', () => {
  const connection = connectionOf({ config: { added_scopes: 'drive' }, scopes: ['mail.read', 'drive'] })

  expect(scopeConfig(mail, undefined, connection)).toEqual({})
})

test('a connection without chosen scopes follows the integration, also after an addition', () => {
  const connection = connectionOf({ config: scopeConfig(mail, ['calendar.read'], connectionOf()) })
  const wider = integrationOf({ scopes: [...(data.scopes ?? []), { name: 'mail.filters' }] })

  expect(names(requestedBy(wider, undefined, connection))).toContain('mail.filters')
  expect(lackedScopes(connection, wider)).toEqual(['mail.tags', 'mail.filters', 'calendar.read'])
})

test.each([
  ['declined', {}, ['mail.tags']],
  ['not requested', { config: { requested_scopes: 'mail.read mail.send' } }, []],
  ['lacked by a call', { config: { added_scopes: 'calendar.read' } }, ['mail.tags', 'calendar.read']],
  ['of no account', { status: 'not_linked', scopes: [] } as const, []],
] as const)('tells which scopes a connection lacks: %s', (_, more, lacked) => {
  expect(lackedScopes(connectionOf(more as Partial<Connection>), mail)).toEqual(lacked)
})

test('a call adds an optional scope only where the tenant did not choose', () => {
  expect(withCalledScopes(mail, connectionOf(), ['calendar.read', 'drive'])).toEqual({ added_scopes: 'calendar.read' })
  expect(withCalledScopes(mail, connectionOf(), ['mail.tags'])).toBeUndefined()
  expect(
    withCalledScopes(mail, connectionOf({ config: { requested_scopes: 'mail.read' } }), ['calendar.read']),
  ).toBeUndefined()
})

test.each([
  ['calendar.read', true],
  ['calendar.read mail.tags', false],
  ['mail.tags', false],
  ['', false],
])('a connection that lacks "%s" works as its tenant asked: %s', (scope, expected) => {
  expect(areExtras(mail, connectionOf({ config: { added_scopes: 'calendar.read' } }), scope)).toBe(expected)
})

test('added scopes never exceed what a config value of the platform holds', () => {
  const optionalScopes = Array.from({ length: 60 }, (_, at) => ({ name: `scope-${at}-${'x'.repeat(30)}` }))
  const wide = integrationOf({ optionalScopes })

  const { added_scopes: added = '' } = scopeConfig(
    wide,
    optionalScopes.map(({ name }) => name),
    connectionOf(),
  )

  expect(added.length).toBeLessThanOrEqual(1_000)
  expect(added.split(' ').every((name) => optionalScopes.some((scope) => scope.name === name))).toBe(true)
})

test('scopes with gaps are named as listed or as granted', () => {
  const crm = integrationOf({
    inputs: { org: { label: 'Org', pattern: '[a-z]{2,10}' } },
    scopes: [{ name: 'https://{org}.crm.example/read' }],
    optionalScopes: [{ name: 'https://{org}.crm.example/write' }],
  })
  const connection = connectionOf({ config: { org: 'acme' }, scopes: ['https://acme.crm.example/read'] })
  const write = 'https://acme.crm.example/write'

  expect(scopeProblem(crm, [write], connection)).toBeUndefined()
  const config = { ...connection.config, ...scopeConfig(crm, [write], connection) }
  expect(lackedScopes(connectionOf({ ...connection, config }), crm)).toEqual([write])
})
