import { explain } from '../../domain/cause.ts'
import {
  type Link,
  type LinkStep,
  needsConsentAgain,
  progressOf,
  statusOf,
  type UpstreamAccount,
} from '../../domain/link.ts'
import type { FollowedLink } from '../../flows/follow-link.ts'

const stepWords: Record<LinkStep, string> = {
  consent: 'You allow access',
  exchange: 'Access is confirmed with the app',
  connection: 'The connection is made',
  function: 'The tools are set up',
  verification: 'Everything is tried out',
}

export function linkLocals({ link, tenant, integration, account }: FollowedLink) {
  const status = statusOf(link.state)
  const app = integration?.displayName ?? 'the app'
  return {
    title: titleOf(link, app, tenant.displayName),
    integration: app,
    tenant: tenant.displayName,
    status,
    consentAgain: needsConsentAgain(link) ? `/links/${link.id}/consent` : undefined,
    // A cause while it is still pending means that something has to be tried again.
    delayed: status === 'pending' && link.cause !== undefined,
    isLinked: status === 'linked',
    otherAccount: otherAccount(link, account),
    cause: status === 'pending' || !link.cause ? undefined : explain(link.cause),
    missingScopes: link.missingScopes,
    liveAddress: `/links/${link.id}?live`,
    steps: progressOf(link).map(({ step, progress }) => ({ label: stepWords[step], progress })),
  }
}

function titleOf({ relink, state }: Link, integration: string, tenant: string): string {
  if (state === 'linked') return relink ? `${integration} is linked again` : `${integration} is linked`
  return `Linking ${integration} to ${tenant}${relink ? ' again' : ''}`
}

/** Who signed in, and who should have: both are the visitor's own to see. */
function otherAccount(link: Link, wanted: UpstreamAccount | undefined) {
  if (link.cause !== 'account_mismatch' || !wanted) return undefined
  return { signedInAs: link.account?.label ?? 'another account', belongsTo: wanted.label }
}
