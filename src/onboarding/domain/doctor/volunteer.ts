import { type Cause, causeCodes, causeEntry } from '../cause.ts'
import type { Revocation } from '../connection-task.ts'
import type { HealthOutcome } from '../health/health.ts'
import type { Integration } from '../integration.ts'
import type { LinkState } from '../link.ts'
import { type DoctorFinding, inconclusive, ok, wrong } from './finding.ts'

export type LatestEvents = {
  link: { state: LinkState; cause: Cause | undefined; at: Date } | undefined
  check: { outcome: HealthOutcome; cause: Cause | undefined; at: Date } | undefined
  revocation: { outcome: Revocation; at: Date } | undefined
}

export const volunteerFindings = (latest: LatestEvents, { grant }: Pick<Integration, 'grant'>): DoctorFinding[] => [
  linkFinding(latest.link, grant),
  useFinding(latest.check),
  revocationFinding(latest.revocation),
]

function linkFinding(link: LatestEvents['link'], grant: Integration['grant']): DoctorFinding {
  if (!link) return inconclusive('latest_link', 'No account has been linked yet. Link one and examine it again.')
  if (link.state === 'linked') {
    const token = grant === 'refresh' ? 'refresh token' : 'access token'
    return ok('latest_link', `Linked on ${day(link.at)}: ${token} and scopes were there.`)
  }
  const ended = `The latest link ended on ${day(link.at)}${link.cause ? ` with ${link.cause}` : ''}.`
  return link.cause && isAboutApp(link.cause)
    ? wrong('latest_link', link.cause, `${ended} If that was corrected since, linking one account clears this.`)
    : inconclusive('latest_link', ended)
}

function useFinding(check: LatestEvents['check']): DoctorFinding {
  if (!check) return inconclusive('latest_use', 'No health check has used a grant yet.')
  if (check.outcome === 'healthy') return ok('latest_use', `A grant was used on ${day(check.at)}.`)
  const { cause } = check
  return cause && isAboutApp(cause) && (check.outcome === 'broken' || isProfileCause(cause))
    ? wrong('latest_use', cause, `A check on ${day(check.at)} ended with ${cause}.`)
    : inconclusive('latest_use', `A check on ${day(check.at)} was ${check.outcome}.`)
}

function revocationFinding(revocation: LatestEvents['revocation']): DoctorFinding {
  if (!revocation) return inconclusive('latest_revocation', 'No grant has been revoked yet.')
  const { outcome, at } = revocation
  if (outcome === 'revoked') return ok('latest_revocation', `The app revoked a grant on ${day(at)}.`)
  if (outcome === 'refused')
    return wrong('latest_revocation', 'provider_unavailable', `The app refused to revoke a grant on ${day(at)}.`)
  if (outcome === 'blocked')
    return wrong(
      'latest_revocation',
      'address_blocked',
      `A grant was not revoked on ${day(at)}: the app was not asked.`,
    )
  return outcome === 'client_gone'
    ? inconclusive(
        'latest_revocation',
        `A grant was not revoked on ${day(at)}: the OAuth client that it was issued to is gone.`,
      )
    : inconclusive('latest_revocation', `On ${day(at)} nothing could be revoked (${outcome}).`)
}

const isProfileCause = (cause: Cause): boolean => causeEntry(cause).faultOf === 'profile'

export const profileCauses = causeCodes.filter(isProfileCause)

const isAboutApp = (cause: Cause): boolean => causeEntry(cause).whoseMove === 'operator'

const day = (at: Date): string => at.toISOString().slice(0, 10)
