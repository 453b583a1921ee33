// A probe sends a junk code without a user, so a sound client is rejected only for the code.
import { registrationCause, requestCause } from '../callback.ts'
import type { Cause } from '../cause.ts'
import type { ClientAuthentication } from '../integration.ts'
import { correctAddress, type DoctorFinding, inconclusive, ok, type Remedy, wrong } from './finding.ts'
import { causeOf, type Signal, signalIn, signalOnPage } from './signals.ts'

type ProbeAnswer = {
  status: number
  date: Date | undefined
  error: string | undefined
  description: string | undefined
  location: string | undefined
  text: string
}

/** `isOurs`: the address or its certificate is wrong. `isBlocked`: this deployment does not call the address. */
export type ProbeSilence = { reason: string; isOurs: boolean; isUnasked?: boolean; isBlocked?: boolean }

export type ProbeResult = ProbeAnswer | ProbeSilence

export const isSilence = (result: ProbeResult): result is ProbeSilence => 'reason' in result

type KnownError = string | { error: string; status: number }
type ErrorRules = { clientErrors: readonly KnownError[]; brokenGrantErrors: readonly KnownError[] }

const isAmong = (errors: readonly KnownError[], error: string, status: number): boolean =>
  errors.some((each) => (typeof each === 'string' ? each === error : each.error === error && each.status === status))

function meaningOf({ error = '', description, status }: ProbeAnswer, rules: ErrorRules) {
  if (isAmong(rules.clientErrors, error, status)) return 'client_rejected'
  if (isAmong(rules.brokenGrantErrors, error, status)) return 'code_rejected'
  return signalIn(error, description)?.means
}

type TokenRules = ErrorRules & { clientAuthentication: ClientAuthentication; mcpUrl?: string | undefined }

export function tokenFinding(asked: ProbeResult, other: ProbeResult | undefined, rules: TokenRules): DoctorFinding {
  if (isSilence(asked)) return silenceFinding('token_endpoint', asked)
  const meaning = meaningOf(asked, rules)
  const said = saidBy(asked)
  if (meaning === 'code_rejected') return ok('token_endpoint', `It refused a junk code and not the client: ${said}.`)
  if (meaning === undefined && isNoEndpoint(asked)) {
    return wrong(
      'token_endpoint',
      'provider_unavailable',
      `No token endpoint is at this address: ${said}.`,
      correctAddress,
    )
  }
  if (meaning === undefined || meaning === 'grant_ended') {
    return inconclusive('token_endpoint', `It answered a junk code with something that is not known: ${said}.`)
  }
  const isOtherWay = other !== undefined && !isSilence(other) && meaningOf(other, rules) === 'code_rejected'
  return isOtherWay
    ? wrong(
        'token_endpoint',
        'client_rejected',
        `It takes the client by the other clientAuthentication alone: ${said}.`,
        authenticateOtherwise(rules),
      )
    : wrong('token_endpoint', meaning, `It answered a junk code with ${said}.`)
}

const noEndpoint = new Set([404, 405, 410])

/** RFC 6749 §5.2: a token endpoint reports errors as JSON with 400 or 401. */
const isNoEndpoint = ({ status, error, text }: ProbeAnswer): boolean =>
  noEndpoint.has(status) && error === undefined && !text.trimStart().startsWith('{')

/** The client is sound. For MCP servers the method is discovered, not configured. */
function authenticateOtherwise({ clientAuthentication, mcpUrl }: TokenRules): Remedy | undefined {
  if (mcpUrl !== undefined) return undefined
  const other = otherAuthentication(clientAuthentication)
  return {
    whoseMove: 'operator',
    advice: `Client ID and secret are right. The operator has to set "clientAuthentication": "${other}" in the entry of this integration in INTEGRATIONS_FILE, for both programs, and restart them; now it is ${clientAuthentication}.`,
  }
}

export const otherAuthentication = (way: ClientAuthentication): ClientAuthentication =>
  way === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic'

export const isClientRefused = (asked: ProbeResult, rules: ErrorRules): boolean =>
  !isSilence(asked) && meaningOf(asked, rules) === 'client_rejected'

/** `isClientGood`: the token endpoint accepted the client. */
type AuthorizationFacts = { redirectUri: string; isClientGood: boolean }

/** `impossible`: the same request with an unregistered redirect URI. Equal responses prove nothing. */
export function authorizationFinding(
  ours: ProbeResult,
  impossible: ProbeResult,
  facts: AuthorizationFacts,
): DoctorFinding {
  if (isSilence(ours)) return silenceFinding('authorization_endpoint', ours)
  const refused = refusalOf(ours, facts)
  if (refused) {
    const isAboutUri = refused.cause === 'redirect_uri_rejected'
    return wrong('authorization_endpoint', refused.cause, isAboutUri ? naming(refused.words, facts) : refused.words)
  }
  if (isSilence(impossible) || isSame(ours, impossible) || isTaken(impossible)) {
    return isShownRefusal(ours, impossible) && facts.isClientGood
      ? wrong('authorization_endpoint', 'redirect_uri_rejected', naming(refusedAlike(ours), facts))
      : inconclusive('authorization_endpoint', alike)
  }
  return isRefusal(ours)
    ? inconclusive('authorization_endpoint', `It answered with status ${ours.status} and nothing that is known.`)
    : ok('authorization_endpoint', 'It takes our redirect URI and refuses an impossible one.')
}

const alike =
  'It answers ours and an impossible redirect URI alike, so only a link shows whether ours is registered. Link one account.'

const naming = (words: string, { redirectUri }: AuthorizationFacts): string => `${words} Ours is ${redirectUri}`

type Refusal = { cause: Cause; words: string }

function refusalOf(answer: ProbeAnswer, { redirectUri }: AuthorizationFacts): Refusal | undefined {
  const signal = pageSignal(answer)
  const cause = causeOf(signal)
  if (signal && cause) return { cause, words: `It answers our authorization request with ${signal.code}.` }
  if (namesRedirectUri(answer)) {
    return { cause: 'redirect_uri_rejected', words: 'It answers our authorization request with an error about it.' }
  }
  return callbackRefusal(answer, redirectUri) ?? jsonRefusal(answer)
}

/** Some providers send the error to the redirect URI that is registered. Only a callback gets the state. */
function callbackRefusal({ location = '' }: ProbeAnswer, redirectUri: string): Refusal | undefined {
  const query = URL.canParse(location) ? new URL(location).searchParams : new URLSearchParams()
  const error = query.get('error')
  if (error === null || !query.has('state')) return undefined
  if (!location.startsWith(redirectUri)) {
    return { cause: 'redirect_uri_rejected', words: 'It sends users to another redirect URI, with an error.' }
  }
  const cause = registrationCause(error, query.get('error_description') ?? '') ?? requestCause(error)
  return cause && { cause, words: `It answers our authorization request with ${error.slice(0, 60)}.` }
}

function jsonRefusal({ status, error, description, text }: ProbeAnswer): Refusal | undefined {
  if (status < 400 || error === undefined || !text.trimStart().startsWith('{')) return undefined
  const cause = causeOf(signalIn(error, description))
  return cause && { cause, words: `It answers our authorization request with ${error.slice(0, 60)}.` }
}

const uriWords = '(?:redirect|callback)[\\s_-]*ur[il]s?'
const badWords =
  "(?:not (?:registered|valid|allowed|match|permitted|authorized|whitelisted|found)|invalid|mismatch|unregistered|incorrect|does ?n[o’']t match|must match|isn[’']t)"

/** Both within a sentence: a page may also contain the URL of the request. */
const redirectUriError = new RegExp(`${uriWords}[^.<>]{0,60}\\b${badWords}|\\b${badWords}[^.<>]{0,30}${uriWords}`, 'i')

/** Atlassian describes the error in the address of its error page, others on a page or in JSON. */
function namesRedirectUri({ status, location = '', text }: ProbeAnswer): boolean {
  const query = URL.canParse(location) ? [...new URL(location).searchParams] : []
  const reported = query.filter(([name]) => /error|message|reason/i.test(name)).map(([, value]) => value)
  const shown = status >= 400 && status < 500 ? [text] : []
  return [...reported, ...shown].some((each) => redirectUriError.test(each))
}

/** RFC 6749 §4.1.2.1: only errors of the client ID and the redirect URI are shown to the user, not sent back. */
const isShownRefusal = (ours: ProbeAnswer, impossible: ProbeResult): boolean =>
  ours.status === 400 && !isSilence(impossible) && impossible.status === 400

const refusedAlike = ({ status }: ProbeAnswer): string =>
  `It refuses our authorization request with status ${status}, like one with an impossible redirect URI, and it accepts the client. Most likely the redirect URI is not registered.`

function pageSignal({ location = '', text }: ProbeAnswer): Signal | undefined {
  const values = URL.canParse(location) ? [...new URL(location).searchParams.values()] : []
  const decoded = values.map((value) => Buffer.from(value, 'base64').toString('latin1'))
  return signalOnPage([location, ...decoded].join('\n')) ?? signalOnPage(text)
}

const isRefusal = ({ status }: ProbeAnswer): boolean => status >= 400

/** RFC 2606 §2: a reserved name. */
export const impossibleRedirectUri = 'https://redirect-uri-check.invalid/callback'

const isTaken = ({ location }: ProbeAnswer): boolean => location?.startsWith(impossibleRedirectUri) === true

/** Compares redirects: pages differ in tokens and times. */
function isSame(one: ProbeAnswer, other: ProbeAnswer): boolean {
  const place = ({ location }: ProbeAnswer) => location?.split('?')[0]
  const code = (answer: ProbeAnswer) => pageSignal(answer)?.code
  return one.status === other.status && place(one) === place(other) && code(one) === code(other)
}

const saidBy = ({ status, error, description }: ProbeAnswer): string => {
  const [number] = /\bAADSTS\d{5,8}\b/.exec(description ?? '') ?? []
  return [`status ${status}`, error?.slice(0, 60), number].filter(Boolean).join(', ')
}

export const silenceFinding = (
  check: DoctorFinding['check'],
  { reason, isOurs, isBlocked, isUnasked }: ProbeSilence,
): DoctorFinding => {
  if (isBlocked) return wrong(check, 'address_blocked', `${reason}.`)
  return isOurs
    ? wrong(check, 'provider_unavailable', `${reason}.`, correctAddress)
    : inconclusive(check, `${isUnasked ? 'It was not asked' : 'No answer'}: ${reason}.`)
}
