// Who may ask for which re-link, and how long its address works.
import type { Connection } from '../../domain/connection.ts'
import { Failure } from '../../domain/failure.ts'
import { isPinned, longestUnpinnedSeconds } from '../../domain/relink.ts'
import type { Settings } from '../../domain/settings.ts'
import type { TestOutcome } from '../../domain/test-mode/test-mode.ts'
import { assertChallenge, inputInvalid } from '../../linking/flows/mint-connect-session.ts'
import type { OnConnection } from './own-connection.ts'

/** A person says why in their own words; a user who does it on the page for their connections need not. */
type Why = { reason: string; following?: undefined } | { reason?: undefined; following: 'manage_page' }

/** `returnUrl` is the tenant's, and of a user on the page for their connections that page. */
export type RelinkConnection = Omit<OnConnection, 'reason'> &
  Why & {
    returnUrl?: string | undefined
    completionChallenge?: string | undefined
    ttlSeconds?: number | undefined
    allowOtherAccount?: boolean | undefined
    locale?: string | undefined
    testOutcome?: TestOutcome | undefined
  }

/** Enough for someone who reads their mail once a day. */
const usualSeconds = 24 * 60 * 60

/** A tenant alone may not move a connection to a different account. */
export function assertMayOverride({ allowOtherAccount, tenant }: RelinkConnection) {
  if (allowOtherAccount && tenant !== undefined) {
    throw new Failure('key_limited', 'Only a key of the deployment may allow a different account.')
  }
}

/** The console has no server of the tenant that could complete a session. */
const isByConsole = ({ actor }: RelinkConnection) => actor.kind === 'support'

/** On a page that the tenant's server opened for them, and to which they come back. */
export const isByUser = ({ following }: RelinkConnection) => following === 'manage_page'

export function assertCompletable(input: RelinkConnection, connection: Connection, completion: Settings['completion']) {
  const { allowOtherAccount = false, completionChallenge, returnUrl } = input
  if (!isPinned(connection, allowOtherAccount) && !isByConsole(input)) {
    assertChallenge({ completionChallenge }, completion)
  }
  if (completionChallenge !== undefined && returnUrl === undefined) {
    throw inputInvalid('/returnUrl', 'is required with a challenge: the completion code is sent there')
  }
}

export function lifetimeOf(input: RelinkConnection, connection: Connection): number {
  const { allowOtherAccount = false, ttlSeconds = usualSeconds } = input
  const isBounded = isByConsole(input) && !isPinned(connection, allowOtherAccount)
  return isBounded ? Math.min(ttlSeconds, longestUnpinnedSeconds) : ttlSeconds
}
