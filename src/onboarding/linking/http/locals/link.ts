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
  consent: 'You allow access',
  exchange: 'Access is confirmed with the app',
  connection: 'The connection is made',
  function: 'The tools are set up',
  verification: 'Everything is tried out',
}

export function linkLocals({ link, tenant, integration, account }: FollowedLink) {
  const status = statusOf(link.state)
  const names = { app: integration?.displayName ?? link.integration, tenant: tenant.displayName }
  return {
    title: titleOf(link, names),
    integration: names.app,
    tenant: names.tenant,
    status,
    consentAgain: needsConsentAgain(link) ? `/links/${link.id}/consent` : undefined,
    // A cause while it is still pending means that something has to be tried again.
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
  if (state === 'linked') return relink ? `${app} is linked again` : `${app} is linked`
  return `Linking ${app} to ${tenant}${relink ? ' again' : ''}`
}

/** Who signed in, and who should have: both are the visitor's own to see. */
function otherAccount(link: Link, wanted: UpstreamAccount | undefined) {
  if (link.cause !== 'account_mismatch' || !wanted) return undefined
  return { signedInAs: link.account?.label ?? 'another account', belongsTo: wanted.label }
}
