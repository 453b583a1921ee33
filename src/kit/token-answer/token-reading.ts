// Reads token responses for both programs, so that the platform can refresh every grant that onboarding can link. Reads
// malformed responses as far as they are unambiguous, and reports whether an unreadable one may contain a token.
import { answerObjects, isMembers, type Members } from './answer-objects.ts'
import { type AnswerBody, answerText } from './answer-text.ts'
import { memberAt } from './member-at.ts'

/** `within`: the member that contains the tokens, from the profile of the integration. */
export type ReceivedAnswer = AnswerBody & {
  /** Incomplete, or above our size limit. */
  isPartial: boolean
  within?: string | undefined
}

type Reading = { members: Members; unreadable?: undefined } | { unreadable: Unreadable }

/** `page`: an HTML page without tokens. `ambiguous`: several tokens. `token_hidden`: a token in an unexpected place. */
export type Unreadable = 'cut_off' | 'page' | 'not_json' | 'ambiguous' | 'token_hidden'

/** Each response is read twice, for the library and for us. */
const readings = new WeakMap<ReceivedAnswer, Reading>()

export function readTokenAnswer(stored: ReceivedAnswer): Reading {
  const known = readings.get(stored) ?? readingOf(stored)
  readings.set(stored, known)
  return known
}

function readingOf(stored: ReceivedAnswer): Reading {
  const text = answerText(stored)
  const objects = answerObjects(text)
  if (!objects) return { unreadable: stored.isPartial ? 'cut_off' : isPage(text) ? 'page' : 'not_json' }
  const meant = stored.within === undefined ? undefined : tokensWithin(objects, stored.within)
  if (meant) return { members: meant }
  const found = objects.map(tokensIn)
  const granting = found.filter((each) => each === 'ambiguous' || hasToken(each))
  const [only, ...others] = granting
  if (others.length > 0 || only === 'ambiguous') return { unreadable: 'ambiguous' }
  const members = only ?? objects[0] ?? {}
  return hidesToken(objects, members) ? { unreadable: 'token_hidden' } : { members }
}

/** Such as a maintenance page of a proxy. */
const isPage = (text: string): boolean => /^\s*<(?:!doctype html|html)\b/i.test(text) && !/token/i.test(text)

/** Only tokens of the member that the profile names. Undefined if it has no tokens. */
function tokensWithin(objects: Members[], path: string): Members | undefined {
  const found = objects.flatMap((object) => {
    const inner = memberAt(object, path)
    const { access_token: _access, refresh_token: _refresh, expires_in: _expires, scope: _scope, ...others } = object
    return isMembers(inner) && hasToken(inner) ? [{ ...others, ...inner }] : []
  })
  return found.length === 1 ? found[0] : undefined
}

/** Some providers nest tokens one level down. */
function tokensIn(object: Members): Members | 'ambiguous' {
  if (hasToken(object)) return object
  const [inner, ...others] = Object.values(object)
    .flatMap((value) => (Array.isArray(value) && value.length === 1 ? value : [value]))
    .filter((value): value is Members => isMembers(value) && hasToken(value))
  if (others.length > 0) return 'ambiguous'
  return inner ? { ...object, ...inner } : object
}

const hasToken = ({ access_token, refresh_token }: Members): boolean => isText(access_token) || isText(refresh_token)

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** Whether the response names a token that is not in `members`, at any depth. */
function hidesToken(objects: Members[], members: Members): boolean {
  if (isText(members.refresh_token)) return false
  return namesToken(objects, isText(members.access_token) ? /refresh_?token$/i : /token$/i)
}

/** Similar names that grant nothing. */
const otherTokens = /^(?:id|csrf|xsrf)[_-]?token$/i

/** Also numbers, and values in a list or object of that name. */
function namesToken(value: unknown, pattern: RegExp): boolean {
  // Iterative: responses may be nested very deeply.
  const left = [{ at: value, isNamed: false }]
  for (let next = left.pop(); next; next = left.pop()) {
    if (next.isNamed && (isText(next.at) || typeof next.at === 'number')) return true
    if (typeof next.at !== 'object' || next.at === null) continue
    for (const [name, at] of Object.entries(next.at)) {
      left.push({ at, isNamed: next.isNamed || (pattern.test(name) && !otherTokens.test(name)) })
    }
  }
  return false
}
