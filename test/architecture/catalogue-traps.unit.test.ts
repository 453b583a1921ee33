// A trap that contradicts its own file describes a link that fails as shipped.
import { expect, test } from 'vitest'
import { readJsonFolder } from '../../src/kit/installed/json-folder.ts'

type Written = {
  grant?: string
  refreshTokens?: string
  pkce?: string
  scopesFrom?: string
  rotation?: string
  refreshIdleDays?: number
  refreshMaxAgeDays?: number
  limits?: { liveGrants: number }
  keep?: { fromAnswer?: object; fromCallback?: object }
  registration?: { steps?: string[]; traps?: string[] }
  products: Array<{ scopes?: Array<{ name: string }> }>
}

const files = [...readJsonFolder('catalogue/providers')].map(([name, file]) => ({ name, file: file as Written }))

const sentences = ({ registration = {} }: Written) =>
  [...(registration.steps ?? []), ...(registration.traps ?? [])].flatMap((text) => text.split(/(?<=[.;])\s/))

/** Files with a sentence that has the wording and is not true of the file. */
function contradicting(wording: RegExp, isTrue: (file: Written, found: RegExpMatchArray) => boolean): string[] {
  const worded = files.flatMap(({ name, file }) =>
    sentences(file).flatMap((sentence) => {
      const found = sentence.match(wording)
      return found ? [{ is: isTrue(file, found), text: `${name}: ${sentence}` }] : []
    }),
  )
  if (worded.length === 0) return [`no trap has the wording ${wording}`]
  return worded.filter(({ is }) => !is).map(({ text }) => text)
}

const hasRefresh = ({ grant = 'refresh' }: Written) => grant === 'refresh'

test('a file whose refresh tokens are enabled uses them', () => {
  expect(
    contradicting(/refresh tokens (?:are|turned) on|turn refresh tokens on|token rotation on/i, hasRefresh),
  ).toEqual([])
})

test('a file without refresh tokens does not use them', () => {
  const wording = /there are no refresh tokens|cannot be refreshed|issues no refresh tokens/i

  expect(contradicting(wording, (file) => !hasRefresh(file))).toEqual([])
})

test('an API host that is returned with the token is kept', () => {
  const wording = /API host .*with the token/i

  expect(contradicting(wording, ({ keep }) => keep?.fromAnswer !== undefined)).toEqual([])
})

test('a value that only the callback contains is kept', () => {
  expect(contradicting(/in the callback alone/i, ({ keep }) => keep?.fromCallback !== undefined)).toEqual([])
})

test('a retired or omitted scope is not requested', () => {
  const isRequested = ({ products }: Written, sentence: string) =>
    products.some(({ scopes = [] }) => scopes.some(({ name }) => namesIn(sentence).includes(name)))

  expect(
    contradicting(/^.*(?:\blose\b|not requested|no longer|cannot use).*$/i, (file, [text]) => !isRequested(file, text)),
  ).toEqual([])
})

const namesIn = (sentence: string): string[] => sentence.match(/[a-z][\w:.-]*\w/gi) ?? []

test('required scopes are requested', () => {
  const wording = /until scopes are (?:asked for|requested)|scopes that are requested/i

  expect(contradicting(wording, ({ scopesFrom }) => scopesFrom !== 'app')).toEqual([])
})

test('scopes that are configured on the app are not requested', () => {
  const wording = /not part of the request|no scopes in the request/i

  expect(contradicting(wording, ({ scopesFrom }) => scopesFrom === 'app')).toEqual([])
})

test('PKCE that is disabled in the traps is disabled in the file', () => {
  expect(contradicting(/PKCE .*(?:refused|rejected|off here)/i, ({ pkce }) => pkce === 'none')).toEqual([])
})

test('single-use refresh tokens are not reused', () => {
  const wording = /refresh tokens (?:are single use|work once)/i

  expect(contradicting(wording, ({ rotation }) => rotation === 'single_use' || rotation === 'replaces')).toEqual([])
})

test('a grant that expires when idle is refreshed before it expires', () => {
  const wording = /not used for (\d+) days|(\d+) days without use/i

  expect(
    contradicting(wording, ({ refreshIdleDays }, [, first, second]) => refreshIdleDays === Number(first ?? second)),
  ).toEqual([])
})

test('a grant that expires at an age is reported before it expires', () => {
  const wording = /ends (?:(\d+) days|a year) after the consent/i

  expect(
    contradicting(wording, ({ refreshMaxAgeDays }, [, days]) => refreshMaxAgeDays === Number(days ?? 365)),
  ).toEqual([])
})

test('a token that is exchanged has no refresh token and ends at a known age', () => {
  const offenders = files.filter(
    ({ file: { grant, refreshTokens, refreshMaxAgeDays } }) =>
      grant === 'exchange' && (refreshTokens !== 'never' || refreshMaxAgeDays === undefined),
  )

  expect(offenders.map(({ name }) => name)).toEqual([])
})

test('a limit of live grants is configured', () => {
  const wording = /can have (\d+) live (?:refresh tokens|grants?)/i

  expect(contradicting(wording, ({ limits }, [, max]) => limits?.liveGrants === Number(max))).toEqual([])
})
