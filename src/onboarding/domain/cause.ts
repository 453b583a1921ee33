// Docs, messages, OpenAPI and client types are generated from these entries (`npm run generate`).
import type { CauseEntry } from './causes/cause-entry.ts'
import { consentCauses } from './causes/consent-causes.ts'
import { grantCauses } from './causes/grant-causes.ts'
import { platformCauses } from './causes/platform-causes.ts'
import { registrationCauses } from './causes/registration-causes.ts'

export * from './causes/cause-entry.ts'

export const causes = { ...consentCauses, ...registrationCauses, ...grantCauses, ...platformCauses }

export type Cause = keyof typeof causes

export const causeCodes = Object.keys(causes) as [Cause, ...Cause[]]

export const causeEntry = (cause: Cause): CauseEntry => causes[cause]

export type CauseWith<Members> = { [C in Cause]: (typeof causes)[C] extends Members ? C : never }[Cause]

export const isUsersMove = (cause: Cause): boolean => causes[cause].whoseMove === 'user'

type ExplainedCause = Pick<CauseEntry, 'whoseMove' | 'title' | 'advice'> & { code: Cause; guide: string }

export function explain(code: Cause): ExplainedCause {
  const { whoseMove, title, advice } = causes[code]
  return { code, whoseMove, title, advice, guide: `/causes/${code}` }
}
