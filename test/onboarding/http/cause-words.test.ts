import { describe, expect, test } from 'vitest'
import { causeCodes, causes } from '../../../src/onboarding/domain/cause.ts'
import { installedLanguages } from '../../../src/onboarding/http/languages.ts'
import { causeForUser } from '../../../src/onboarding/http/locals/cause-words.ts'

/** Words of ours and of OAuth's that the owner of an account has never heard. */
const jargon =
  /client|secret|verifier|oauth|token|scope|endpoint|redirect|uri\b|\bgrants?\b|tenant|platform|function|integration|workspace|callback|session/i

const { english } = installedLanguages()

const wordsOf = (cause: (typeof causeCodes)[number]) => causeForUser(cause, { app: 'Filebox', tenant: 'Acme' }, english)

describe.each(causeCodes)('%s', (cause) => {
  test('has words for the person whose account it is, and none that they would have to look up', () => {
    const { title, userAdvice } = wordsOf(cause)

    expect(title.length).toBeGreaterThan(10)
    expect(userAdvice.length).toBeGreaterThan(40)
    expect(`${title} ${userAdvice}`).not.toMatch(jargon)
  })

  test('says what the person can do, or else who has to act', () => {
    const { move, userAdvice } = wordsOf(cause)

    const theirs = causes[cause].whoseMove === 'user'
    expect(move === 'What you can do').toBe(theirs)
    expect(userAdvice).toMatch(
      theirs ? /start again/i : /contact Acme|contact them|don’t need to do anything|from Acme/,
    )
  })
})
