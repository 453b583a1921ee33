import { MemoryStore } from 'express-session'
import { beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import { memoryConsoleSessions } from '../../../../src/onboarding/console/adapters/memory-console-sessions.ts'
import {
  beginSignIn,
  endAllSessions,
  endSession,
  finishSignIn,
  isStillAuthorized,
  rememberSession,
} from '../../../../src/onboarding/console/flows/console-sign-in.ts'
import type { SignInAttempt } from '../../../../src/onboarding/domain/console.ts'
import type { ConsoleIssuer, SignInIdentity } from '../../../../src/onboarding/domain/ports/console.ts'
import { breaks, isAway, refuses } from '../../../support/memory/doubles.ts'
import { bySupport, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

const settings = {
  issuer: 'https://login.example',
  roleClaim: 'roles',
  roleNames: { viewer: 'see', agent: 'help', admin: 'run' },
}
let world: MemoryWorld & { issuer: ConsoleIssuer; consoleSessions: ReturnType<typeof memoryConsoleSessions> }
let identified: SignInIdentity

beforeEach(async () => {
  const opened = await openMemoryWorld()
  identified = {
    subject: 'sub-1',
    claims: { roles: ['help'], email: 'agent@support.example' },
    authenticatedAt: opened.now(),
    refreshToken: new Secret('console refresh'),
  }
  const issuer: ConsoleIssuer = {
    signInUrl: async ({ state }) => `https://login.example/?state=${state}`,
    identify: async () => identified,
    refreshIdentity: async () => ({ claims: identified.claims, refreshToken: undefined }),
  }
  world = { ...opened, issuer, consoleSessions: memoryConsoleSessions(new MemoryStore(), opened.now) }
})

const begin = (again = false) => beginSignIn(world, { next: '/support', again })
const finish = (attempt: SignInAttempt) => finishSignIn(world, settings, { query: {}, attempt, actor: bySupport })
const signIn = async (again = false) => finish((await begin(again)).attempt)
const enter = async (sessionId = 'session-1') => {
  const signedIn = await signIn()
  await rememberSession(world, { ...signedIn, sessionId })
  return signedIn.session
}
const vouched = (session: Awaited<ReturnType<typeof enter>>, sessionId = 'session-1') =>
  isStillAuthorized(world, settings, sessionId, session)

test('the verifier is stored sealed and opened at the callback', async () => {
  let asked: string | undefined
  let answered: string | undefined
  world.issuer.signInUrl = async ({ verifier }) => {
    asked = verifier.reveal()
    return 'https://login.example/'
  }
  world.issuer.identify = async (_, { verifier }) => {
    answered = verifier.reveal()
    return identified
  }

  const { attempt } = await begin()
  await finish(attempt)

  expect(attempt.verifier).not.toContain(asked)
  expect(answered).toBe(asked)
})

test('a user with a role is signed in and audited', async () => {
  const { session } = await signIn()

  expect(session).toMatchObject({
    user: { subject: 'sub-1', email: 'agent@support.example', role: 'agent' },
    signedInAt: world.now().getTime(),
    authenticatedAt: world.now().getTime(),
  })
  expect(world.actions()).toContain('console.signed_in')
})

test('a user without a role is rejected and audited', async () => {
  identified.claims = { roles: ['something else'] }

  await expect(signIn()).rejects.toMatchObject({ code: 'role_missing' })
  expect(world.actions()).toContain('console.refused')
  expect(world.actions()).not.toContain('console.signed_in')
})

test('repeated sign-ins without a role are rate limited', async () => {
  identified.claims = {}
  for (let tries = 0; tries < 5; tries++) await expect(signIn()).rejects.toMatchObject({ code: 'role_missing' })

  await expect(signIn()).rejects.toMatchObject({
    code: 'rate_limited',
    detail: expect.stringContaining('no role in this console. It was rejected more than 5 times within 15 minutes'),
  })
})

test('long names from an issuer are truncated in the audit log', async () => {
  identified = { ...identified, subject: 's'.repeat(5_000), claims: { roles: 'run', email: 'e'.repeat(5_000) } }

  const { session } = await signIn()

  expect([session.user.subject.length, session.user.email?.length]).toEqual([200, 200])
})

test('O11: an unavailable issuer and an invalid response are different errors', async () => {
  world.issuer.signInUrl = isAway('provider_unavailable')
  await expect(begin()).rejects.toMatchObject({
    code: 'sign_in_unavailable',
    detail: expect.stringContaining('double'),
    more: { retryAfterSeconds: 5 },
  })
  world.issuer.signInUrl = async () => 'https://login.example/'
  world.issuer.identify = refuses('identity_invalid')
  await expect(signIn()).rejects.toMatchObject({ code: 'sign_in_failed' })
  world.issuer.identify = breaks
  await expect(signIn()).rejects.toThrow(TypeError)
})

test('without auth_time, a sign-in does not count as recent', async () => {
  identified.authenticatedAt = undefined

  expect((await signIn()).session.authenticatedAt).toBe(0)
})

test('a re-authentication must be newer than its request', async () => {
  const { attempt } = await begin(true)
  world.clock.pass(120)
  await expect(finish({ ...attempt, startedAt: world.now().getTime() })).rejects.toMatchObject({
    code: 'sign_in_failed',
  })

  identified.authenticatedAt = world.now()

  expect((await finish(attempt)).session.authenticatedAt).toBe(world.now().getTime())
})

test('a re-authentication without auth_time is rejected', async () => {
  identified.authenticatedAt = undefined

  await expect(signIn(true)).rejects.toMatchObject({ code: 'sign_in_time_unknown' })
})

test('the refresh token of a session is stored sealed', async () => {
  await enter()

  const kept = await world.consoleSessions.grantOf('session-1')
  expect(kept).toBeDefined()
  expect(kept).not.toContain('console refresh')
})

test('a session continues while the issuer confirms the role', async () => {
  expect(await vouched(await enter())).toBe(true)
})

test.each([
  ['rejects the refresh token', async () => undefined],
  ['returns another role', async () => ({ claims: { roles: ['see'] }, refreshToken: undefined })],
  ['returns a higher role', async () => ({ claims: { roles: ['run'] }, refreshToken: undefined })],
  ['omits the roles', async () => ({ claims: {}, refreshToken: undefined })],
])('a session ends when the issuer %s', async (_, refreshIdentity) => {
  const session = await enter()
  world.issuer.refreshIdentity = refreshIdentity

  expect(await vouched(session)).toBe(false)
})

test.each([
  ['is unavailable', isAway('provider_unavailable')],
  ['returns no role claim', async () => ({ claims: undefined, refreshToken: undefined })],
])('a session continues when the issuer %s', async (_, refreshIdentity) => {
  const session = await enter()
  world.issuer.refreshIdentity = refreshIdentity

  expect(await vouched(session)).toBe(true)
})

test('a session ends after an internal error during the check', async () => {
  const session = await enter()
  world.issuer.refreshIdentity = breaks

  await expect(vouched(session)).rejects.toThrow(TypeError)

  expect(await vouched(session)).toBe(false)
})

test('the issuer is asked once a minute', async () => {
  const session = await enter()
  let asked = 0
  world.issuer.refreshIdentity = async () => {
    asked++
    return { claims: identified.claims, refreshToken: undefined }
  }

  for (let requests = 0; requests < 3; requests++) await vouched(session)
  world.clock.pass(61)
  await vouched(session)

  expect(asked).toBe(2)
})

test('without a refresh token the issuer is not called', async () => {
  identified.refreshToken = undefined
  const session = await enter()
  world.issuer.refreshIdentity = breaks

  expect(await vouched(session)).toBe(true)
})

test('a rotated refresh token is used for the next check', async () => {
  const session = await enter()
  const askedWith: string[] = []
  world.issuer.refreshIdentity = async (token) => {
    askedWith.push(token.reveal())
    return { claims: identified.claims, refreshToken: new Secret('the next') }
  }

  await vouched(session)
  world.clock.pass(61)
  await vouched(session)

  expect(askedWith).toEqual(['console refresh', 'the next'])
})

test('an ended session stays ended, and other sessions continue', async () => {
  const session = await enter('session-1')
  await enter('session-2')

  await endSession(world, 'session-1', session)

  expect(await vouched(session, 'session-1')).toBe(false)
  expect(await vouched(session, 'session-2')).toBe(true)
  expect(await world.consoleSessions.grantOf('session-1')).toBeUndefined()
})

test('signing out everywhere ends all sessions of a user, and is audited', async () => {
  const session = await enter('session-1')
  await enter('session-2')

  const ended = await endAllSessions(world, { user: session.user, actor: bySupport })

  expect(ended).toBe(2)
  expect(await vouched(session, 'session-2')).toBe(false)
  expect(world.actions()).toContain('console.signed_out_everywhere')
})
