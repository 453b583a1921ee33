import { explain } from '../../domain/cause.ts'
import { type LinkStep, needsConsentAgain, progressOf, statusOf } from '../../domain/link.ts'
import type { FollowedLink } from '../../flows/follow-link.ts'

const stepWords: Record<LinkStep, string> = {
  consent: 'You allow access',
  exchange: 'Access is confirmed with the app',
  connection: 'The connection is made',
  function: 'The tools are set up',
  verification: 'Everything is tried out',
}

export function linkLocals({ link, tenant, integration }: FollowedLink) {
  const status = statusOf(link.state)
  return {
    title: `Linking ${integration.displayName} to ${tenant.displayName}`,
    integration: integration.displayName,
    tenant: tenant.displayName,
    status,
    consentAgain: needsConsentAgain(link) ? `/links/${link.id}/consent` : undefined,
    // A cause while it is still pending means that something has to be tried again.
    delayed: status === 'pending' && link.cause !== undefined,
    cause: status === 'pending' || !link.cause ? undefined : explain(link.cause),
    missingScopes: link.missingScopes,
    liveAddress: `/links/${link.id}?live`,
    returnHost: new URL(link.returnUrl).host,
    steps: progressOf(link).map(({ step, progress }) => ({ label: stepWords[step], progress })),
  }
}
