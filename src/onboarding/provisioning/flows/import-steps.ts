import type { Secret } from '../../../kit/crypto/secret.ts'
import { causeEntry } from '../../domain/cause.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Link } from '../../domain/link.ts'
import { missingScopes } from '../../domain/scopes.ts'
import { admitLink } from './admit-link.ts'
import type { AtStep, Decision, Fail, KindOfLink, Park, StepContext, Steps } from './decision.ts'
import { accountChange, grantChanges, keepTrialRefresh, mayHaveRotated, openEscrow } from './escrowed-grant.ts'
import { beginFirstLink, finish, firstLinkSteps, functionMade, makeFunction } from './first-link-steps.ts'

const steps: Steps = {
  ...firstLinkSteps,

  escrowed: async (context, link) => {
    if (context.ready.integration.rotation === 'none') return tryAndConnect(context, link, { mayBeSent: false })
    return { kind: 'move', to: 'testing', next: (next, at) => tryAndConnect(next, at, { mayBeSent: false }) }
  },

  testing: (context, link) => tryAndConnect(context, link, { mayBeSent: true }),
}

export const importLinks: KindOfLink = {
  steps,
  begin: beginFirstLink,
  onFailure: onImportFailure,
  mayRotate: ({ rotation }) => rotation !== 'none',
  beforeRevocation: failImported,
  makesConnection: true,
}

async function tryAndConnect(
  context: StepContext,
  link: Link,
  { mayBeSent }: { mayBeSent: boolean },
): Promise<Decision> {
  const { ports, ready } = context
  const { raw, trialRefresh: before } = await openEscrow(ports, link)
  const { trialRefresh, rotated } = before
    ? { trialRefresh: before, ...(await ports.provider.rereadRefresh({ ...ready, raw }, before)) }
    : await refreshOnce(context, link, { raw, mayBeSent })
  const found = await ports.provider.describeRefresh({ ...ready, config: link.config }, trialRefresh)
  if (link.account && found.account && link.account.id !== found.account.id) {
    return { kind: 'fail', cause: 'import_account_mismatch', revoke: true }
  }
  // RFC 6749 §5.1: without a list, the granted scopes are the requested ones.
  const granted = { ...found, account: found.account ?? link.account, scopes: found.scopes ?? link.grantedScopes }
  const missing = missingScopes(ready.integration, granted.scopes)
  if (missing.length > 0) {
    const changes = { ...accountChange(granted), missingScopes: missing }
    return { kind: 'fail', cause: 'scope_missing', revoke: true, changes }
  }
  const grant = { refreshToken: undefined, ...granted }
  const refused = await admitLink(context, link, { grant, isFresh: before === undefined })
  if (refused) return refused
  const tokens = ports.provider.tokensOf(ready.integration, raw, trialRefresh)
  if (!tokens) throw new DependencyError('answer_malformed', { detail: 'refresh_token' })
  const changes = grantChanges(ready, link, grant)
  await ports.platform.createConnection(link, { client: ready.client, config: changes.config, ...tokens })
  return makeFunction(context, link, changes, async (functionUrl, facts) => {
    const known = { ...changes, functionUrl }
    if (!(await worksAtOnce(context, link, functionUrl))) return functionMade(context, link, known, facts)
    const { verifyFunctions } = context.settings
    return finish(context, link, known, verifyFunctions ? { ...facts, verified: true } : facts, rotated)
  })
}

/** No user waits for an import. If the function is not ready, the step `function_ready` retries. */
async function worksAtOnce({ ports, settings }: StepContext, link: Link, functionUrl: string): Promise<boolean> {
  if (!settings.verifyFunctions) return true
  try {
    await ports.platform.verifyFunction({ ...link, functionUrl })
    return true
  } catch (error) {
    if (error instanceof DependencyError) return false
    throw error
  }
}

async function refreshOnce(
  { ports, ready }: StepContext,
  link: Link,
  { raw, mayBeSent }: { raw: Secret; mayBeSent: boolean },
): Promise<{ trialRefresh: Secret; rotated: boolean }> {
  // The first attempt may have rotated the token; a second one would end the grant.
  if (mayBeSent && ready.integration.rotation !== 'none') throw new DependencyError('exchange_unknown')
  let kept: Secret | undefined
  const keep = async (answer: Secret) => {
    await keepTrialRefresh(ports, link, answer)
    kept = answer
  }
  const { rotated } = await ports.provider.refresh({ ...ready, raw, keep }).catch((error) => {
    const isLost = error instanceof DependencyError && error.cause === 'exchange_unknown'
    if (!isLost || ready.integration.rotation !== 'none') throw error
    throw new DependencyError('provider_unavailable', { retry: {}, detail: error.detail })
  })
  if (!kept) throw new DependencyError('answer_malformed', { detail: 'refresh' })
  return { trialRefresh: kept, rotated }
}

async function onImportFailure(_context: StepContext, link: AtStep, error: DependencyError): Promise<Park | undefined> {
  const isTrial = link.state === 'escrowed' || link.state === 'testing'
  const isMendable = causeEntry(error.cause).faultOf !== undefined || error.cause === 'refresh_refused'
  if (!isTrial || error.retry || !isMendable) return undefined
  const facts = { detail: error.detail || undefined }
  return { kind: 'park', cause: error.cause, resumeFrom: 'escrowed', facts }
}

/** The tenant's copy of an imported grant keeps working, unless the provider rotated the token. */
async function failImported(context: StepContext, link: AtStep, failed: Fail): Promise<Fail | Park> {
  const { cause, changes, facts } = failed
  const isRevoking = link.state === 'revoking'
  if (await mayHaveRotated(context, link)) {
    return isRevoking ? failed : { kind: 'park', cause, changes, resumeFrom: 'testing' }
  }
  const isUnknown = cause === 'exchange_unknown' && !isRevoking
  return { kind: 'fail', cause, revoke: false, changes, facts: isUnknown ? facts : { ...facts, grant: 'shared' } }
}
