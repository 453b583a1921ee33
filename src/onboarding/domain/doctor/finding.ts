import { type Cause, causes, type WhoseMove } from '../cause.ts'

/** Where a check looks: our own URL, settings, the provider without a user, the latest link, or dead grants. */
export const doctorLayers = ['deployment', 'settings', 'network', 'latest_link', 'over_time'] as const
export type DoctorLayer = (typeof doctorLayers)[number]

/** Unrecognized responses are `inconclusive`, never `wrong`: false alarms hide true ones. */
const verdicts = ['ok', 'wrong', 'inconclusive'] as const
export type Verdict = (typeof verdicts)[number]

export const doctorChecks = {
  public_url: { layer: 'deployment', words: 'Own address' },
  client: { layer: 'settings', words: 'OAuth client' },
  client_secret: { layer: 'settings', words: 'Client secret' },
  redirect_uri: { layer: 'settings', words: 'Redirect URI' },
  addresses: { layer: 'settings', words: 'Addresses of the app' },
  refresh_tokens: { layer: 'settings', words: 'Refresh tokens' },
  internet: { layer: 'network', words: 'Internet access' },
  discovery: { layer: 'network', words: 'Metadata of the app' },
  clock: { layer: 'network', words: 'Clocks' },
  token_endpoint: { layer: 'network', words: 'Client at the token endpoint' },
  authorization_endpoint: { layer: 'network', words: 'Redirect URI at the app' },
  latest_link: { layer: 'latest_link', words: 'Latest link' },
  returns: { layer: 'latest_link', words: 'Users who came back from the app' },
  latest_use: { layer: 'latest_link', words: 'Latest use of access' },
  latest_revocation: { layer: 'latest_link', words: 'Latest revocation' },
  grant_age: { layer: 'over_time', words: 'Age of expired access' },
  same_account: { layer: 'over_time', words: 'Accounts linked twice' },
  token_reuse: { layer: 'over_time', words: 'Refresh tokens used twice' },
  grant_deaths: { layer: 'over_time', words: 'Access that ended together' },
} as const satisfies Record<string, { layer: DoctorLayer; words: string }>

type DoctorCheck = keyof typeof doctorChecks

export type DoctorFinding = {
  check: DoctorCheck
  verdict: Verdict
  evidence: string
  cause?: Cause | undefined
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

export const correctAddress: Remedy = {
  whoseMove: 'operator',
  advice:
    'The operator has to compare the addresses of the profile with those that the app publishes. A certificate of a private CA needs that CA in NODE_EXTRA_CA_CERTS.',
}

export const whoseMoveIn = ({ cause, remedy }: DoctorFinding): WhoseMove | undefined =>
  remedy?.whoseMove ?? (cause && causes[cause].whoseMove)

export const adviceIn = ({ cause, remedy }: DoctorFinding): string | undefined =>
  remedy?.advice ?? (cause && causes[cause].advice)
