import { expect, test } from 'vitest'
import { causeCodes, causes } from '../../../src/onboarding/domain/cause.ts'
import { installedLanguages } from '../../../src/onboarding/http/languages.ts'
import { causeForUser } from '../../../src/onboarding/http/locals/cause-words.ts'

/** Terms of Causeway and OAuth that end users do not know. */
const jargon =
  /client|secret|verifier|oauth|token|scope|endpoint|redirect|uri\b|\bgrants?\b|tenant|platform|function|integration|workspace|callback|session/i

const { english } = installedLanguages()

const wordsOf = (cause: (typeof causeCodes)[number]) => causeForUser(cause, { app: 'Filebox', tenant: 'Acme' }, english)

test('causes have a title and advice for end users, without jargon', () => {
  const wrong = causeCodes.filter((cause) => {
    const { title, userAdvice } = wordsOf(cause)
    return title.length <= 10 || userAdvice.length <= 20 || jargon.test(`${title} ${userAdvice}`)
  })

  expect(wrong).toEqual([])
})

test('the advice tells the user what to do or who has to act', () => {
  const wrong = causeCodes.filter((cause) => {
    const isTheirs = causes[cause].whoseMove === 'user'
    const advice = isTheirs
      ? /try again|open the link|reconnect/i
      : /contact Acme|contact them|don’t need to do anything|from Acme/
    return !advice.test(wordsOf(cause).userAdvice)
  })

  expect(wrong).toEqual([])
})
