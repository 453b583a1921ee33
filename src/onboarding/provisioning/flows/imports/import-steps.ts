// An imported link begins with a refresh token that somebody else has used so far. It is tried first, and what comes
// back is in escrow before anybody reads it; from there on it is a first link.
import type { Secret } from '../../../../kit/crypto/secret.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { Link } from '../../../domain/link.ts'
import { missingScopes } from '../../../domain/scopes.ts'
import { admitLink } from '../admit-link.ts'
import type { Decision, StepContext, Steps } from '../decision.ts'
import { accountChange, grantChanges, openEscrow } from '../escrowed-grant.ts'
import { finish, firstLinkSteps, functionMade, makeFunction } from '../first-link-steps.ts'
import { keepTrialRefresh } from '../trial-refresh.ts'

export const importSteps: Steps = {
  ...firstLinkSteps,

  escrowed: async (context, link) => {
    // A token that is never replaced can be sent again, whatever became of the first try.
    if (context.ready.integration.rotation === 'none') return tryAndConnect(context, link, { mayBeSent: false })
    return { kind: 'move', to: 'testing', next: (next, at) => tryAndConnect(next, at, { mayBeSent: false }) }
  },

  testing: (context, link) => tryAndConnect(context, link, { mayBeSent: true }),
}

async function tryAndConnect(
  context: StepContext,
  link: Link,
  { mayBeSent }: { mayBeSent: boolean },
): Promise<Decision> {
  const { needs, ready } = context
  const { raw, trialRefresh: before } = await openEscrow(needs, link)
  const { trialRefresh, rotated } = before
    ? { trialRefresh: before, ...(await needs.provider.rereadRefresh({ ...ready, raw }, before)) }
    : await refreshOnce(context, link, { raw, mayBeSent })
  const found = await needs.provider.describeRefresh({ ...ready, config: link.config }, trialRefresh)
  if (link.account && found.account && link.account.id !== found.account.id) {
    return { kind: 'fail', cause: 'import_account_mismatch', revoke: true }
  }
  // Where neither the provider nor the tenant says what was granted, it is what was asked (RFC 6749 §5.1).
  const granted = { ...found, account: found.account ?? link.account, scopes: found.scopes ?? link.grantedScopes }
  const missing = missingScopes(ready.integration, granted.scopes)
  if (missing.length > 0) {
    const changes = { ...accountChange(granted), missingScopes: missing }
    return { kind: 'fail', cause: 'scope_missing', revoke: true, changes }
  }
  const grant = { refreshToken: undefined, ...granted }
  const refused = await admitLink(context, link, { grant, isFresh: before === undefined })
  if (refused) return refused
  const tokens = needs.provider.tokensOf(ready.integration, raw, trialRefresh)
  if (!tokens) throw new DependencyError('answer_malformed', { detail: 'refresh_token' })
  const changes = grantChanges(ready, link, grant)
  await needs.platform.createConnection(link, { client: ready.client, config: changes.config, ...tokens })
  return makeFunction(context, link, changes, async (functionUrl, facts) => {
    const known = { ...changes, functionUrl }
    if (!(await worksAtOnce(context, link, functionUrl))) return functionMade(context, link, known, facts)
    const { verifyFunctions } = context.settings
    return finish(context, link, known, verifyFunctions ? { ...facts, verified: true } : facts, rotated)
  })
}

/**
 * Nobody waits on a page for an import, and whoever takes the link up finds everything that was made by its name: where
 * the function works at once, no promise needs a commit in between. One that does not is asked again by its own step.
 */
async function worksAtOnce({ needs, settings }: StepContext, link: Link, functionUrl: string): Promise<boolean> {
  if (!settings.verifyFunctions) return true
  try {
    await needs.platform.verifyFunction({ ...link, functionUrl })
    return true
  } catch (error) {
    if (error instanceof DependencyError) return false
    throw error
  }
}

async function refreshOnce(
  { needs, ready }: StepContext,
  link: Link,
  { raw, mayBeSent }: { raw: Secret; mayBeSent: boolean },
): Promise<{ trialRefresh: Secret; rotated: boolean }> {
  // A provider that rotates may have taken a try that nobody heard the answer to: a second one would end the grant.
  if (mayBeSent && ready.integration.rotation !== 'none') throw new DependencyError('exchange_unknown')
  let kept: Secret | undefined
  const keep = async (answer: Secret) => {
    await keepTrialRefresh(needs, link, answer)
    kept = answer
  }
  const { rotated } = await needs.provider.refresh({ ...ready, raw, keep }).catch((error) => {
    const isLost = error instanceof DependencyError && error.cause === 'exchange_unknown'
    if (!isLost || ready.integration.rotation !== 'none') throw error
    throw new DependencyError('provider_unavailable', { retry: {}, detail: error.detail })
  })
  if (!kept) throw new DependencyError('answer_malformed', { detail: 'refresh' })
  return { trialRefresh: kept, rotated }
}
