import {
  type Link,
  type LinkStep,
  needsConsentAgain,
  progressOf,
  statusOf,
  type UpstreamAccount,
} from '../../../domain/link.ts'
import { causeForUser, type Names } from '../../../http/locals/user-words.ts'
import type { FollowedLink } from '../../flows/follow-link.ts'
import { permissionNamed } from './permissions.ts'

const stepWords: Record<LinkStep, string> = {
  consent: 'You give permission',
  exchange: 'Confirm access with the app',
  connection: 'Create the connection',
  function: 'Set up the tools',
  verification: 'Test the connection',
}

export function linkLocals({ link, tenant, integration, account, mayTryAgain }: FollowedLink) {
  const status = statusOf(link.state)
  const names = { app: integration?.displayName ?? link.integration, tenant: tenant.displayName }
  return {
    title: titleOf(link, names),
    integration: names.app,
    tenant: names.tenant,
    status,
    consentAgain: needsConsentAgain(link) ? `/links/${link.id}/consent` : undefined,
    tryAgain: mayTryAgain ? `/links/${link.id}/again` : undefined,
    // A pending link with a cause is being retried.
    delayed: status === 'pending' && link.cause !== undefined,
    isLinked: status === 'linked',
    otherAccount: otherAccount(link, account),
    cause: status === 'pending' || !link.cause ? undefined : causeForUser(link.cause, names),
    notAllowed: link.missingScopes.map((name) => permissionNamed(name, integration)),
    liveAddress: `/links/${link.id}?live`,
    steps: progressOf(link).map(({ step, progress }) => ({ label: stepWords[step], progress })),
  }
}

function titleOf({ relink, state }: Link, { app, tenant }: Names): string {
  if (state === 'linked') return relink ? `${app} is reconnected` : `${app} is connected`
  return `${relink ? 'Reconnecting' : 'Connecting'} ${app} to ${tenant}`
}

/** Returns undefined unless the user signed in with a different account. */
function otherAccount(link: Link, expected: UpstreamAccount | undefined) {
  if (link.cause !== 'account_mismatch' || !expected) return undefined
  return { signedInAs: link.account?.label ?? 'a different account', belongsTo: expected.label }
}
