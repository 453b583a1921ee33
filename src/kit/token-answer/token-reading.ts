// What a token answer says, to either program: what one can link, the other has to be able to refresh. Custody does not depend on good manners: an answer that is odd is read as far as its
// meaning is plain, and one that may hold a token which nobody finds is told from one that holds none.
import { answerObjects, isMembers, type Members } from './answer-objects.ts'
import { type AnswerBody, answerText } from './answer-text.ts'
import { memberAt } from './member-at.ts'

/** As it came over the wire. `within`: the member whose token is meant, where the integration's profile names one. */
export type ReceivedAnswer = AnswerBody & {
  /** It broke off, or was longer than we take. */
  isPartial: boolean
  within?: string | undefined
}

export type Reading = { members: Members; unreadable?: undefined } | { unreadable: Unreadable }

/**
 * `cut_off`: the answer broke off. `page`: a whole page without a word of tokens. `ambiguous`: several tokens.
 * `token_hidden`: one where no profile looks for it.
 */
export type Unreadable = 'cut_off' | 'page' | 'not_json' | 'ambiguous' | 'token_hidden'

/** An answer is read for the library and then for us, and says the same both times. */
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

/** As whatever stands before a provider shows it during maintenance. */
const isPage = (text: string): boolean => /^\s*<(?:!doctype html|html)\b/i.test(text) && !/token/i.test(text)

/** The tokens of the member that the profile names, and none of the others. Undefined if it has none. */
function tokensWithin(objects: Members[], path: string): Members | undefined {
  const found = objects.flatMap((object) => {
    const inner = memberAt(object, path)
    const { access_token: _access, refresh_token: _refresh, expires_in: _expires, scope: _scope, ...others } = object
    return isMembers(inner) && hasToken(inner) ? [{ ...others, ...inner }] : []
  })
  return found.length === 1 ? found[0] : undefined
}

/** An object with the tokens of a member, where it has none itself: some providers put them one level down. */
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

/** Whether an answer names a token that is not among the members found, in whichever way and depth. */
function hidesToken(objects: Members[], members: Members): boolean {
  if (isText(members.refresh_token)) return false
  return namesToken(objects, isText(members.access_token) ? /refresh_?token$/i : /token$/i)
}

/** They end alike and grant nothing. */
const otherTokens = /^(?:id|csrf|xsrf)[_-]?token$/i

/** Also where it is a number, or stands in a list or an object of that name. */
function namesToken(value: unknown, pattern: RegExp): boolean {
  // By a list and not by calls to itself: answers may be nested as deep as they are long.
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
