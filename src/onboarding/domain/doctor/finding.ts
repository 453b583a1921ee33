// What the doctor found: one check, its verdict, what was seen, and whose move it is.
import { type Cause, causes, type WhoseMove } from '../cause.ts'

/**
 * `static`: by reading the settings. `network`: by asking the provider, without a user. `volunteer`: by what became of the
 * latest link. `time`: by when grants died.
 */
export const doctorLayers = ['static', 'network', 'volunteer', 'time'] as const
export type DoctorLayer = (typeof doctorLayers)[number]

/** An answer that nobody knows is `inconclusive`, never `wrong`: a false alarm costs the next true one. */
export const verdicts = ['ok', 'wrong', 'inconclusive'] as const
export type Verdict = (typeof verdicts)[number]

/** Every check by name, with its words. */
export const doctorChecks = {
  client: { layer: 'static', words: 'OAuth client' },
  client_secret: { layer: 'static', words: 'Client secret' },
  redirect_uri: { layer: 'static', words: 'Redirect URI' },
  addresses: { layer: 'static', words: 'Addresses of the app' },
  refresh_tokens: { layer: 'static', words: 'Refresh tokens' },
  discovery: { layer: 'network', words: 'Metadata of the app' },
  clock: { layer: 'network', words: 'Clocks' },
  token_endpoint: { layer: 'network', words: 'Client at the token endpoint' },
  authorization_endpoint: { layer: 'network', words: 'Redirect URI at the app' },
  latest_link: { layer: 'volunteer', words: 'Latest link' },
  latest_use: { layer: 'volunteer', words: 'Latest use of a grant' },
  latest_revocation: { layer: 'volunteer', words: 'Latest revocation' },
  grant_age: { layer: 'time', words: 'Age of grants that died' },
  grant_deaths: { layer: 'time', words: 'Grants that died together' },
} as const satisfies Record<string, { layer: DoctorLayer; words: string }>

export type DoctorCheck = keyof typeof doctorChecks

export type DoctorFinding = {
  check: DoctorCheck
  verdict: Verdict
  /** What was seen, in our own words and the provider's codes. Never a secret. */
  evidence: string
  /** What a link would end with. */
  cause?: Cause | undefined
}

export const ok = (check: DoctorCheck, evidence: string): DoctorFinding => ({ check, verdict: 'ok', evidence })

export const inconclusive = (check: DoctorCheck, evidence: string): DoctorFinding => ({
  check,
  verdict: 'inconclusive',
  evidence,
})

export const wrong = (check: DoctorCheck, cause: Cause, evidence: string): DoctorFinding => ({
  check,
  verdict: 'wrong',
  cause,
  evidence,
})

/** Undefined if there is nothing to do. */
export const whoseMoveIn = ({ cause }: DoctorFinding): WhoseMove | undefined => cause && causes[cause].whoseMove

/** The sentence of the guide beside it; undefined if there is nothing to do. */
export const adviceIn = ({ cause }: DoctorFinding): string | undefined => cause && causes[cause].advice
