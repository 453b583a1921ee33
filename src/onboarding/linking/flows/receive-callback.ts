import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { aboutLink } from '../../domain/audit/audit-entry.ts'
import {
  callbackRejection,
  consentEnd,
  isSignedCallback,
  isSoundIssuer,
  verifierPattern,
} from '../../domain/callback.ts'
import { callbackValues } from '../../domain/catalogue/integration-values.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Config, Link } from '../../domain/link.ts'
import { unpackLink } from '../../domain/linking/carried-link.ts'
import type { Claim, PendingAuthorization, PendingAuthorizations } from '../../domain/ports/linking.ts'
import type { KnownIssuer } from '../../domain/ports/provider.ts'
import type { Audit, Background, Tokens } from '../../domain/ports/shared.ts'
import { sealContext } from '../../domain/seal-context.ts'
import type { LinkInProgress, Settings } from '../../domain/settings.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import type { ProvisionSettings } from '../../provisioning/flows/provision-link.ts'
import { findClient, type ReadyIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { type ExchangeNeeds, exchangeCode } from './exchange-code.ts'
import { type CodeToExchange, keepWaitingCode } from './waiting-code.ts'

export type ReceiveCallback = {
  integration: string
  /** Of an authorization server that has an address of its own. */
  issuerKey?: string | undefined
  state: string
  /** The provider's response: a code or an error. */
  answer: { code: Secret } | { error: string; description?: string | undefined }
  issuer: string | undefined
  /** What else the callback has; a profile may keep some of it. */
  parameters?: Config
  browsers: string[]
  actor: Actor
}

type Needs = ExchangeNeeds & { pending: PendingAuthorizations; audit: Audit; tokens: Tokens; background: Background }

/** A reload of the callback gets the current state of the link. */
export const receiveCallback =
  (needs: Needs, settings: ProvisionSettings & Pick<Settings, 'waitingCodeSeconds'>) =>
  async (input: ReceiveCallback): Promise<LinkInProgress> => {
    const { browsers, state } = input
    const callback = callbackIn(input)
    const claim = await needs.pending.claim(state, { attempt: needs.tokens.id('att'), browsers, callback })
    const pending = await assertClaimed(needs, claim, input)
    const carried = openPending(needs, pending)
    const isReplay = claim.outcome === 'replay'
    const link = isReplay ? await foundLink(needs, pending) : (carried.link ?? (await foundLink(needs, pending)))
    if (isReplay) await noteReplay(needs, link, input.actor)
    // If the first delivery died, a reload takes over: the ledger lets only one of them through. After a second consent
    // the first code is spent, and a replay of its callback must not be taken for the second one's.
    const spent = isReplay && link.forcedConsent
    if (spent || link.state !== 'authorizing') return settled(link)
    const config = configFrom(needs, link, input)
    const ready = await findClient(needs, { ...link, config: config ?? link.config }).catch(undefinedIfMissing)
    if (!ready) return settled(await endRemoved(needs, link, input.actor))
    const known = await needs.provider.issuerOf(ready.integration)
    await assertExpectedIssuer(needs, link, input, known)
    await assertSigned(needs, link, ready, input)
    const code = codeIn(input)
    if (!code || !config) return settled(await endAtCallback(needs, link, input))
    const verifier = await assertHasVerifier(needs, link, carried.verifier, input.actor)
    const found = { code, nonce: pending.nonce, issuer: issuerToCheck(input, known), verifier, config }
    return exchangeOrWait(needs, settings)(link, ready, found, input.actor)
  }

/** As `callbackName` makes it. */
const callbackIn = ({ integration, issuerKey }: ReceiveCallback): string =>
  issuerKey === undefined ? integration : `${integration}/${issuerKey}`

const codeIn = ({ answer }: ReceiveCallback): Secret | undefined => ('code' in answer ? answer.code : undefined)

/** Where the tenant completes the session, the code waits for that. */
const exchangeOrWait =
  (needs: Needs, settings: ProvisionSettings & Pick<Settings, 'waitingCodeSeconds'>) =>
  async (link: Link, ready: ReadyIntegration, found: CodeToExchange, actor: Actor): Promise<LinkInProgress> => {
    if (link.completionChallenge) return settled(await keepWaitingCode(needs, settings)(link, found, actor))
    const exchange = exchangeCode(needs, settings)({ link, ready, ...found, actor })
    return { link, done: needs.background.keep(exchange) }
  }

/** What a provider calls the code in its callback. */
export const codeParameterOf =
  ({ integrations }: Pick<Needs, 'integrations'>) =>
  (integration: string): string =>
    integrations.find(integration)?.codeParameter ?? 'code'

/** With what the profile keeps of the callback. Undefined if that is missing or contradicts what was typed. */
const configFrom = ({ integrations }: Needs, link: Link, { parameters = {} }: ReceiveCallback): Config | undefined => {
  const integration = integrations.of(link)
  return integration ? callbackValues(integration, link.config, parameters) : link.config
}

/** The provider said no, or left out what the profile keeps. */
const endAtCallback = (needs: Needs, link: Link, { answer, actor }: ReceiveCallback): Promise<Link> =>
  endLink(needs)(
    link,
    'error' in answer
      ? { ...consentEnd(answer.error, answer.description), actor }
      : { to: 'failed', actor, facts: unkept },
  )

const unkept = { cause: 'callback_rejected', detail: 'values' } as const

/** The library compares an issuer only with one that is known. */
const issuerToCheck = ({ issuer }: ReceiveCallback, known: KnownIssuer) =>
  known.issuer === undefined ? undefined : issuer

const settled = (link: Link): LinkInProgress => ({ link, done: Promise.resolve(link) })

const ended = new Failure('callback_unknown', 'It was already used, has expired, or was never started here.')

const refusals = {
  unknown: ended,
  expired: ended,
  foreign_browser: new Failure('callback_foreign', 'You started in another browser.'),
  cookie_missing: new Failure('callback_foreign', 'The browser sent no cookie of ours.', { variant: 'cookie_missing' }),
  foreign_callback: new Failure('callback_foreign', 'The response belongs to another integration.', {
    variant: 'other_app',
  }),
}

async function assertClaimed(needs: Needs, claim: Claim, input: ReceiveCallback): Promise<PendingAuthorization> {
  if ('pending' in claim) return claim.pending
  const facts = { refusal: callbackRejection(claim.outcome, input.browsers) }
  const about = 'link' in claim ? await whoseLink(needs, claim.link) : { subject: undefined }
  await needs.audit.note({ action: 'callback.rejected', actor: input.actor, ...about, facts })
  throw refusals[isWithoutCookie(claim, input) ? 'cookie_missing' : claim.outcome]
}

const isWithoutCookie = ({ outcome }: Claim, { browsers }: ReceiveCallback) =>
  outcome === 'foreign_browser' && browsers.length === 0

/** Returns no tenant if the link is not in the ledger yet. */
async function whoseLink({ links }: Needs, link: string) {
  const found = await links.find(link)
  const subject = { kind: 'link' as const, id: link }
  return { subject, tenant: found?.tenant, link, connection: found?.connectionId }
}

async function assertExpectedIssuer(needs: Needs, link: Link, input: ReceiveCallback, known: KnownIssuer) {
  if (isSoundIssuer(input.issuer, known)) return
  await endForeign(needs, link, input, 'iss_mismatch')
}

/** An error brings nothing that could be used, so it may come unsigned. */
async function assertSigned(
  needs: Needs,
  link: Link,
  { integration, client }: ReadyIntegration,
  input: ReceiveCallback,
) {
  const code = codeIn(input)
  if (!code) return
  const { parameters, state, issuer } = input
  const iss = issuer === undefined ? {} : { iss: issuer }
  const callback = { ...parameters, ...iss, state, [integration.codeParameter]: code.reveal() }
  if (!isSignedCallback(integration, callback, client.secret)) await endForeign(needs, link, input, 'signature')
}

async function endForeign(needs: Needs, link: Link, { actor }: ReceiveCallback, detail: string): Promise<never> {
  await endLink(needs)(link, { to: 'failed', actor, facts: { cause: 'callback_rejected', detail } })
  throw new Failure('callback_foreign', 'The response doesn’t come from the app you wanted to connect.', {
    variant: 'other_app',
  })
}

/** Without an OAuth client the code cannot be exchanged: it expires unused, and the user returns with the cause. */
async function endRemoved(needs: Needs, link: Link, actor: Actor): Promise<Link> {
  const cause = 'integration_removed'
  await needs.audit.note({ action: 'callback.rejected', actor, ...aboutLink(link), facts: { refusal: cause } })
  return endLink(needs)(link, { to: 'failed', actor, facts: { cause } })
}

const noteReplay = ({ audit }: Needs, link: Link, actor: Actor) =>
  audit.note({ action: 'callback.replayed', actor, ...aboutLink(link) })

/** Without PKCE's verifier a stolen code could not be told from ours, so no token is requested. */
async function assertHasVerifier(
  needs: Needs,
  link: Link,
  verifier: Secret | undefined,
  actor: Actor,
): Promise<Secret> {
  if (verifier && verifierPattern.test(verifier.reveal())) return verifier
  const facts = { cause: 'callback_rejected', detail: 'pkce_missing' } as const
  await endLink(needs)(link, { to: 'failed', actor, facts })
  throw new Failure('unexpected', 'The problem is on our side.')
}

type PendingSecrets = { verifier?: Secret; link?: Link | undefined }

/** The verifier, and the link as it was when the browser left. Both are missing if the seal does not open. */
function openPending({ seal }: Needs, pending: PendingAuthorization): PendingSecrets {
  try {
    const [verifier = '', link] = seal.open(pending.verifier, sealContext.verifier(pending.link)).reveal().split('\n')
    return { verifier: new Secret(verifier), link: link === undefined ? undefined : unpackLink(link) }
  } catch {
    return {}
  }
}

async function foundLink({ links }: Needs, pending: PendingAuthorization): Promise<Link> {
  const link = await links.find(pending.link)
  if (!link) throw missing('link')
  return link
}
