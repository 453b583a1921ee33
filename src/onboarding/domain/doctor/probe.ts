// A probe sends a junk code without a user, so a sound client is rejected only for the code.
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

/** The client is sound. For MCP servers the method is discovered, not configured. */
function authenticateOtherwise({ clientAuthentication, mcpUrl }: TokenRules): Remedy | undefined {
  if (mcpUrl !== undefined) return undefined
  const other = otherAuthentication(clientAuthentication)
  return {
    whoseMove: 'operator',
    advice: `Client ID and secret are right. The operator of this deployment has to set "clientAuthentication": "${other}" in the entry of this integration in INTEGRATIONS_FILE, for both programs, and restart them; now it is ${clientAuthentication}.`,
  }
}

export const otherAuthentication = (way: ClientAuthentication): ClientAuthentication =>
  way === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic'

export const isClientRefused = (asked: ProbeResult, rules: ErrorRules): boolean =>
  !isSilence(asked) && meaningOf(asked, rules) === 'client_rejected'

/** `impossible`: the same request with an unregistered redirect URI. Equal responses prove nothing. */
export function authorizationFinding(ours: ProbeResult, impossible: ProbeResult): DoctorFinding {
  if (isSilence(ours)) return silenceFinding('authorization_endpoint', ours)
  const signal = pageSignal(ours)
  const cause = causeOf(signal)
  if (signal && cause) {
    return wrong('authorization_endpoint', cause, `It answers our authorization request with ${signal.code}.`)
  }
  if (isSilence(impossible) || isSame(ours, impossible) || isTaken(impossible)) {
    return inconclusive('authorization_endpoint', 'It answers ours and an impossible redirect URI alike.')
  }
  return isRefusal(ours)
    ? inconclusive('authorization_endpoint', `It answered with status ${ours.status} and nothing that is known.`)
    : ok('authorization_endpoint', 'It takes our redirect URI and refuses an impossible one.')
}

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
