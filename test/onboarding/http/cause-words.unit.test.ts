import { expect, test } from 'vitest'
import { causeCodes, causes } from '../../../src/onboarding/domain/cause.ts'
import { installedLanguages } from '../../../src/onboarding/http/languages.ts'
import { causeForUser } from '../../../src/onboarding/http/locals/cause-words.ts'

/** Words of ours and of OAuth's that the owner of an account has never heard. */
const jargon =
  /client|secret|verifier|oauth|token|scope|endpoint|redirect|uri\b|\bgrants?\b|tenant|platform|function|integration|workspace|callback|session/i

const { english } = installedLanguages()

const wordsOf = (cause: (typeof causeCodes)[number]) => causeForUser(cause, { app: 'Filebox', tenant: 'Acme' }, english)

test('causes have a title and advice for end users, without jargon', () => {
  const wrong = causeCodes.filter((cause) => {
    const { title, userAdvice } = wordsOf(cause)
    return title.length <= 10 || userAdvice.length <= 40 || jargon.test(`${title} ${userAdvice}`)
  })

  expect(wrong).toEqual([])
})

test('the advice says what the user can do, or who has to act', () => {
  const wrong = causeCodes.filter((cause) => {
    const { move, userAdvice } = wordsOf(cause)
    const isTheirs = causes[cause].whoseMove === 'user'
    const advice = isTheirs ? /start again/i : /contact Acme|contact them|don’t need to do anything|from Acme/
    return (move === 'What you can do') !== isTheirs || !advice.test(userAdvice)
  })

  expect(wrong).toEqual([])
})
