// What the doctor found: one check, its verdict, what was seen, and whose move it is.
import { type Cause, causes, type WhoseMove } from '../cause.ts'

/**
 * `deployment`: what is the same for every integration, by asking our own address. `settings`: by reading them. `network`: by asking the provider, without a user. `latest_link`: by what became of it.
 * `over_time`: by when grants died.
 */
export const doctorLayers = ['deployment', 'settings', 'network', 'latest_link', 'over_time'] as const
export type DoctorLayer = (typeof doctorLayers)[number]

/** An answer that nobody knows is `inconclusive`, never `wrong`: a false alarm costs the next true one. */
export const verdicts = ['ok', 'wrong', 'inconclusive'] as const
export type Verdict = (typeof verdicts)[number]

/** Every check by name, with its words. */
export const doctorChecks = {
  public_url: { layer: 'deployment', words: 'PUBLIC_URL' },
  client: { layer: 'settings', words: 'OAuth client' },
  client_secret: { layer: 'settings', words: 'Client secret' },
  redirect_uri: { layer: 'settings', words: 'Redirect URI' },
  addresses: { layer: 'settings', words: 'Addresses of the app' },
  refresh_tokens: { layer: 'settings', words: 'Refresh tokens' },
  discovery: { layer: 'network', words: 'Metadata of the app' },
  clock: { layer: 'network', words: 'Clocks' },
  token_endpoint: { layer: 'network', words: 'Client at the token endpoint' },
  authorization_endpoint: { layer: 'network', words: 'Redirect URI at the app' },
  latest_link: { layer: 'latest_link', words: 'Latest link' },
  latest_use: { layer: 'latest_link', words: 'Latest use of a grant' },
  latest_revocation: { layer: 'latest_link', words: 'Latest revocation' },
  grant_age: { layer: 'over_time', words: 'Age of grants that died' },
  grant_deaths: { layer: 'over_time', words: 'Grants that died together' },
} as const satisfies Record<string, { layer: DoctorLayer; words: string }>

export type DoctorCheck = keyof typeof doctorChecks

export type DoctorFinding = {
  check: DoctorCheck
  verdict: Verdict
  /** What was seen, in our own words and the provider's codes. Never a secret. */
  evidence: string
  /** What a link would end with. */
  cause?: Cause | undefined
  /** Where the doctor knows more than the cause does. */
  remedy?: Remedy | undefined
}

export type Remedy = { whoseMove: WhoseMove; advice: string }

export const ok = (check: DoctorCheck, evidence: string): DoctorFinding => ({ check, verdict: 'ok', evidence })

export const inconclusive = (check: DoctorCheck, evidence: string): DoctorFinding => ({
  check,
  verdict: 'inconclusive',
  evidence,
})

export const wrong = (check: DoctorCheck, cause: Cause, evidence: string, remedy?: Remedy): DoctorFinding => ({
  check,
  verdict: 'wrong',
  cause,
  evidence,
  ...(remedy && { remedy }),
})

/** The address or its certificate is not as the profile says. */
export const correctAddress: Remedy = {
  whoseMove: 'operator',
  advice:
    'The operator of this deployment has to compare the addresses of the profile with those that the app publishes. A certificate of a private CA needs that CA in NODE_EXTRA_CA_CERTS.',
}

/** Undefined if there is nothing to do. */
export const whoseMoveIn = ({ cause, remedy }: DoctorFinding): WhoseMove | undefined =>
  remedy?.whoseMove ?? (cause && causes[cause].whoseMove)

/** The sentence of the guide beside it; undefined if there is nothing to do. */
export const adviceIn = ({ cause, remedy }: DoctorFinding): string | undefined =>
  remedy?.advice ?? (cause && causes[cause].advice)
