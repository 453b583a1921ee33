// A first link uses its grant once before it is called linked, where that costs nobody a rotation.
import type { Cause } from '../../domain/cause.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { isClientCause } from '../../domain/doctor/signals.ts'
import type { Link } from '../../domain/link.ts'
import type { Decision, StepContext } from './decision.ts'
import { openEscrow } from './escrowed-grant.ts'
import { clearPlatform } from './revoking-step.ts'
import { refreshOnce } from './trial-refresh.ts'

/**
 * Not where it is unknown: the platform has the token already, and a second one would have to follow it there. What was
 * imported was tried before.
 */
export const isTried = ({ ready: { integration } }: StepContext, { importId }: Pick<Link, 'importId'>): boolean =>
  importId === undefined && integration.grant === 'refresh' && integration.rotation === 'none'

/** Returns undefined if the grant works. What keeps us from finding out is thrown. */
export async function tryFirstGrant(context: StepContext, link: Link): Promise<Decision | undefined> {
  try {
    const { rotated } = await refreshOnceOrReread(context, link)
    if (rotated) await bringNewest(context, link)
    return undefined
  } catch (error) {
    if (!(error instanceof DependencyError) || error.retry || error.cause === 'answer_unreadable') throw error
    return whenUnusable(context, link, error)
  }
}

export async function refreshOnceOrReread(context: StepContext, link: Link) {
  const { needs, ready } = context
  const { raw, trialRefresh } = await openEscrow(needs, link)
  return trialRefresh ? needs.provider.rereadRefresh({ ...ready, raw }, trialRefresh) : refreshOnce(context, link, raw)
}

/** The profile is wrong, and the provider replaced the token after all: what the platform has may be worth nothing. */
async function bringNewest({ needs, ready, settings }: StepContext, link: Link): Promise<void> {
  const { raw, trialRefresh } = await openEscrow(needs, link)
  const tokens = needs.provider.tokensOf(ready.integration, raw, trialRefresh)
  if (tokens && settings.connectionPut) {
    await needs.platform.replaceConnection(link, { client: ready.client, config: link.config, ...tokens })
  }
}

const mendable: ReadonlySet<Cause> = new Set<Cause>(['profile_mismatch', 'address_blocked'])

/** Fails the link, or parks it until the client, or the profile, is right again. */
export async function whenUnusable({ needs }: StepContext, link: Link, error: DependencyError): Promise<Decision> {
  const facts = { detail: error.detail || undefined }
  // Good again once the operator has put that right.
  if (isClientCause(error.cause) || mendable.has(error.cause)) {
    return { kind: 'park', cause: error.cause, resumeFrom: 'function_ready', facts }
  }
  // The platform has a connection and a function by now, which nobody can use.
  await clearPlatform(needs, link)
  return { kind: 'fail', cause: error.cause, revoke: true, facts }
}
