// Why a link or a connection is not working: one closed list for the return URL, the API, webhooks, pages and audit.
import { consentCauses } from './causes/consent-causes.ts'
import { grantCauses } from './causes/grant-causes.ts'
import { platformCauses } from './causes/platform-causes.ts'
import { registrationCauses } from './causes/registration-causes.ts'

/** `operator`: who runs this deployment, where its own keys, clients or integrations are at fault. */
export const whoseMoves = ['user', 'tenant', 'support', 'operator', 'provider', 'platform'] as const
export type WhoseMove = (typeof whoseMoves)[number]

type Explanation = { whoseMove: WhoseMove; title: string; advice: string }

export const causes = {
  ...consentCauses,
  ...registrationCauses,
  ...grantCauses,
  ...platformCauses,
} satisfies Record<string, Explanation>

export type Cause = keyof typeof causes

/** Only the user can fix it, so a link that stops for it has ended: there is nobody else to wait for. */
export const isUsersMove = (cause: Cause): boolean => causes[cause].whoseMove === 'user'

export const causeCodes = Object.keys(causes) as [Cause, ...Cause[]]

export type ExplainedCause = Explanation & { code: Cause; guide: string }

/** A cause as it is told outside; `guide` is the address, below that of the deployment, that says more about it. */
export const explain = (cause: Cause): ExplainedCause => ({ code: cause, ...causes[cause], guide: `/causes/${cause}` })
