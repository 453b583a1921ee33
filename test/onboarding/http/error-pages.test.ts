// What people read when something they sent is refused: whose move it is, and a way on.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Failure, failureCodes, failures } from '../../../src/onboarding/domain/failure.ts'
import { consoleErrorLocals } from '../../../src/onboarding/http/locals/console-error.ts'
import { people } from '../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../support/worlds/console-world.ts'
import { titleOf } from '../../support/worlds/relink-world.ts'

let world: ConsoleWorld
let agent: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld()
  agent = await world.signIn(people.agent)
})
afterAll(() => world.close())

const ours = 'Something went wrong'

const localsOf = (code: (typeof failureCodes)[number], at = '/support') =>
  consoleErrorLocals(new Failure(code, 'It was refused.'), 'req_1', at)

test('only our own errors are described as our fault', () => {
  const blamed = failureCodes.filter((code) => localsOf(code).title === ours)

  expect(blamed.filter((code) => failures[code].status < 500)).toEqual([])
  expect(blamed).toContain('unexpected')
})

test.each([
  [20, 'Wait a minute, then try again.'],
  [61, 'Wait 2 minutes, then try again.'],
  [900, 'Wait 15 minutes, then try again.'],
])('a rate limit page shows a wait of %i s', (retryAfterSeconds, advice) => {
  const failure = new Failure('rate_limited', 'It was refused.', { retryAfterSeconds })

  expect(consoleErrorLocals(failure, 'req_1', '/support').advice).toBe(advice)
})

test('a workspace that is missing on the platform is the operator’s to fix', () => {
  expect(localsOf('workspace_unknown').advice).toContain('the operator has to create the workspace')
})

test.each([
  ['/docs/nonesuch', '<a class="button" href="/docs" rel="noreferrer">Documentation</a>'],
  ['/catalogue/nonesuch', '<a class="button" href="/catalogue" rel="noreferrer">Available apps</a>'],
  ['/connect/nonesuch', '<a class="button" href="/" rel="noreferrer">Go to the start page</a>'],
])('the error page of %s leads on', async (path, button) => {
  const answer = await fetch(`${world.url}${path}`, { headers: { Accept: 'text/html' } })

  expect(await answer.text()).toContain(button)
})

describe('a request that our pages never send', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const requests: Record<string, [RequestInit, status: number, title: string]> = {
    'with another method': [{ method: 'DELETE' }, 405, 'This isn’t supported here'],
    'with another kind of body': [
      { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } },
      415,
      'We can’t read this request',
    ],
    'with a form that is too large': [
      { method: 'POST', body: `reason=${'x'.repeat(20_000)}`, headers: form },
      413,
      'Your request is too large',
    ],
    'with more fields than any form has': [
      { method: 'POST', body: 'a&'.repeat(2_000), headers: form },
      413,
      'Your request is too large',
    ],
    'with a compressed form': [
      { method: 'POST', body: gzipSync('reason=x'), headers: { ...form, 'Content-Encoding': 'gzip' } },
      415,
      'We can’t read this request',
    ],
    'with a form compressed in vain': [
      { method: 'POST', body: 'reason=x', headers: { ...form, 'Content-Encoding': 'gzip' } },
      415,
      'We can’t read this request',
    ],
  }

  test.each(Object.entries(requests))('%s is explained', async (_name, [init, status, title]) => {
    const url = `${world.url}/support/account`
    const headers = { ...init.headers, Cookie: agent.cookiesFor(url) }
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
    const text = await answer.text()

    expect([answer.status, titleOf({ text, url, status, headers: answer.headers })]).toEqual([status, title])
    expect(text).toContain('Nothing was changed.')
    if (status === 405) expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
  })
})
