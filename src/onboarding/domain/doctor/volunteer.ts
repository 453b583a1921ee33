import { type Cause, causeCodes, causeEntry, causes } from '../cause.ts'
import type { Revocation } from '../connection-task.ts'
import type { HealthOutcome } from '../health/health.ts'
import type { Integration } from '../integration.ts'
import type { LinkState } from '../link.ts'
import { type DoctorFinding, inconclusive, ok, type Remedy, wrong } from './finding.ts'

/** Links that sent a user to the app and have ended, the newest first. */
export type StartedLinks = ReadonlyArray<{ cameBack: boolean; cause?: Cause | undefined }>

export type LatestEvents = {
  link: { state: LinkState; cause: Cause | undefined; at: Date } | undefined
  check: { outcome: HealthOutcome; cause: Cause | undefined; at: Date } | undefined
  revocation: { outcome: Revocation; at: Date } | undefined
}

export const volunteerFindings = (
  latest: LatestEvents,
  { grant }: Pick<Integration, 'grant'>,
  started: StartedLinks,
): DoctorFinding[] => [
  linkFinding(latest.link, grant, started),
  useFinding(latest.check),
  revocationFinding(latest.revocation),
]

function linkFinding(link: LatestEvents['link'], grant: Integration['grant'], started: StartedLinks): DoctorFinding {
  if (!link) return inconclusive('latest_link', 'No account has been linked yet. Link one and examine it again.')
  if (link.state === 'linked') {
    const token = grant === 'refresh' ? 'refresh token' : 'access token'
    return ok('latest_link', `Linked on ${day(link.at)}: ${token} and scopes were there.`)
  }
  const ended = `The latest link ended on ${day(link.at)}${link.cause ? `: ${causes[link.cause].title}` : ''}.`
  const words = `${ended} If that was corrected since, linking one account clears this.`
  if (link.cause === 'identity_invalid') return wrong('latest_link', link.cause, words, correctAccount)
  const remedy = link.cause && isSharedBy(link.cause, started) ? sharedRemedies[link.cause] : undefined
  if (link.cause && remedy) return wrong('latest_link', link.cause, `${words} So did those before.`, remedy)
  return link.cause && isAboutApp(link.cause)
    ? wrong('latest_link', link.cause, words)
    : inconclusive('latest_link', ended)
}

const correctAccount: Remedy = {
  whoseMove: 'operator',
  advice:
    'The app did not confirm which account it is. The operator has to compare `account` of the profile with the documentation of the app: an ID token comes only with the scope openid, and only from an app that implements OpenID Connect. Others name the account at a user info address. Support can see which part of the response was missing or not valid.',
}

const minSharing = 3

/** One user may refuse a permission, or have an older one at the app. Not every user does. */
function isSharedBy(shared: Cause, started: StartedLinks): boolean {
  const latest = started.slice(0, minSharing)
  return latest.length === minSharing && latest.every(({ cause }) => cause === shared)
}

const correctScopes: Remedy = {
  whoseMove: 'operator',
  advice:
    'No user gave all permissions, so the app most likely offers fewer than are requested. The operator has to compare the `scopes` of the integration with those that are enabled for the OAuth app, and enable or remove the others.',
}

const enableRefreshTokens: Remedy = {
  whoseMove: 'operator',
  advice:
    'No user’s access came with a refresh token. The operator has to enable refresh tokens for the OAuth app, or request what they need, such as a scope offline_access. If the app issues none, the entry needs another `grant`.',
}

/** Causes that are a user's to fix if one link ended with them, and the operator's if all did. */
const sharedRemedies: Partial<Record<Cause, Remedy>> = {
  scope_missing: correctScopes,
  no_refresh_token: enableRefreshTokens,
}

function useFinding(check: LatestEvents['check']): DoctorFinding {
  if (!check) return inconclusive('latest_use', 'No health check has used an account yet.')
  if (check.outcome === 'healthy') return ok('latest_use', `An account was used on ${day(check.at)}.`)
  const { cause } = check
  return cause && isAboutApp(cause) && (check.outcome === 'broken' || isProfileCause(cause))
    ? wrong('latest_use', cause, `A check on ${day(check.at)} failed: ${causes[cause].title}.`)
    : inconclusive('latest_use', `A check on ${day(check.at)} was ${check.outcome}.`)
}

function revocationFinding(revocation: LatestEvents['revocation']): DoctorFinding {
  if (!revocation) return inconclusive('latest_revocation', 'Nothing has been revoked yet.')
  const { outcome, at } = revocation
  if (outcome === 'revoked') return ok('latest_revocation', `The app revoked access on ${day(at)}.`)
  if (outcome === 'refused')
    return wrong('latest_revocation', 'provider_unavailable', `The app refused to revoke access on ${day(at)}.`)
  if (outcome === 'blocked')
    return wrong('latest_revocation', 'address_blocked', `Access was not revoked on ${day(at)}: the app was not asked.`)
  return outcome === 'client_gone'
    ? inconclusive(
        'latest_revocation',
        `Access was not revoked on ${day(at)}: the OAuth client that it was issued to is gone.`,
      )
    : inconclusive('latest_revocation', `On ${day(at)} nothing could be revoked.`)
}

export const maxStarted = 50

/** A user may leave the app's page, but not nearly every user does. */
const minLost = 3
const lostShare = 0.8

export function returnFinding(started: StartedLinks): DoctorFinding {
  if (started.length === 0) return inconclusive('returns', 'No user was sent to the app yet.')
  const lost = started.filter(({ cameBack }) => !cameBack).length
  const users = started.length === 1 ? 'One user was' : `${started.length} users were`
  if (lost === 0) return ok('returns', `${users} sent to the app and came back.`)
  const words = `${lost} of ${started.length} users did not come back from the app`
  const isRecent = started.slice(0, minLost).every(({ cameBack }) => !cameBack)
  if (lost < minLost || !isRecent) return inconclusive('returns', `${words}.`)
  const why = 'The app may show an error page, for example for a redirect URI that is not registered.'
  return lost >= started.length * lostShare
    ? wrong('returns', 'callback_missing', `${words}. ${why}`)
    : inconclusive('returns', `${words}. ${why}`)
}

const isProfileCause = (cause: Cause): boolean => causeEntry(cause).faultOf === 'profile'

export const profileCauses = causeCodes.filter(isProfileCause)

const isAboutApp = (cause: Cause): boolean => causeEntry(cause).whoseMove === 'operator'

const day = (at: Date): string => at.toISOString().slice(0, 10)
