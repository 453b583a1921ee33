import { Secret } from '../../../kit/crypto/secret.ts'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
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
import { Failure } from '../../domain/failure.ts'
import type { Config, Link } from '../../domain/link.ts'
import { unpackLink } from '../../domain/linking/carried-link.ts'
import type { Claim, PendingAuthorization } from '../../domain/ports/linking.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { sealContext } from '../../domain/seal-context.ts'
import type { LinkInProgress, Settings } from '../../domain/settings.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { findIssuing, type ReadyIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { exchangeCode } from './exchange-code.ts'
import { findLink } from './find-link.ts'
import { type CodeToExchange, keepWaitingCode } from './waiting-code.ts'

export type ReceiveCallback = {
  /** The last part of the redirect URI. */
  callback: string
  state: string
  answer: { code: Secret } | { error: string; description?: string | undefined }
  issuer: string | undefined
  parameters?: Config
  browsers: string[]
  actor: Actor
}

/** Idempotent: a reload of the callback returns the current state of the link. */
export async function receiveCallback(
  ports: Ports,
  settings: Settings,
  input: ReceiveCallback,
): Promise<LinkInProgress> {
  const { browsers, state, callback } = input
  const claiming = ports.pending.claim(state, { attempt: ports.tokens.id('att'), browsers, callback })
  claiming.catch(ignoreError('awaited below, or with the intent'))
  const own = await exchangeOwn(ports, settings, input, claiming)
  if (own) return own
  const claim = await claiming
  const pending = await assertClaimed(ports, claim, input)
  const carried = openPending(ports, pending)
  const isReplay = claim.outcome === 'replay'
  const link = isReplay || !carried.link ? await findLink(ports, pending.link) : carried.link
  if (isReplay) await ports.audit.note({ action: 'callback.replayed', actor: input.actor, ...aboutLink(link) })
  // A reload takes over after a crash. A replay of the first callback must not count as the second consent.
  const spent = isReplay && link.forcedConsent
  if (spent || link.state !== 'authorizing') return settled(link)
  const answer = await examined(ports, { pending, carried, link }, input)
  if (typeof answer === 'object') return exchangeOrWait(ports, settings, link, answer.ready, answer.found, input.actor)
  switch (answer) {
    case 'removed':
      return settled(await endRemoved(ports, link, input.actor))
    case 'iss_mismatch':
    case 'signature':
      return endForeign(ports, link, input, answer)
    case 'pkce_missing':
      return endWithoutVerifier(ports, link, input.actor)
    case 'no_code':
      return settled(await endAtCallback(ports, link, input))
  }
}

/**
 * This process has stored the authorization and knows what its claim returns, so the claim is waited for together with
 * the intent. Returns undefined, without any effect, unless the code can be sent.
 */
async function exchangeOwn(
  ports: Ports,
  settings: Settings,
  input: ReceiveCallback,
  claim: Promise<unknown>,
): Promise<LinkInProgress | undefined> {
  const pending = ports.pending.recall(input.state)
  if (!pending || !input.browsers.includes(pending.browser) || pending.callback !== input.callback) return undefined
  const carried = openPending(ports, pending)
  const { link } = carried
  if (link?.state !== 'authorizing' || link.completionChallenge) return undefined
  const answer = await examined(ports, { pending, carried, link }, input)
  if (typeof answer === 'string') return undefined
  const { ready, found } = answer
  const exchange = exchangeCode(ports, settings, { link, ready, ...found, actor: input.actor, claim })
  return { link, done: ports.background.keep(exchange) }
}

type Rejection = 'removed' | 'iss_mismatch' | 'signature' | 'no_code' | 'pkce_missing'
type Returned = { pending: PendingAuthorization; carried: Carried; link: Link }

async function examined(
  ports: Ports,
  { pending, carried, link }: Returned,
  input: ReceiveCallback,
): Promise<{ ready: ReadyIntegration; found: CodeToExchange } | Rejection> {
  const config = configFrom(ports, link, input)
  const owner = { ...link, config: config ?? link.config }
  const ready = await findIssuing(ports, owner, carried.clientId).catch(undefinedIfMissing)
  if (!ready) return 'removed'
  const known = await ports.provider.issuerOf(ready.integration)
  if (!isSoundIssuer(input.issuer, known)) return 'iss_mismatch'
  if (!isSigned(ready, input)) return 'signature'
  const code = codeIn(input)
  if (!code || !config) return 'no_code'
  const { verifier, clientId } = carried
  // Without the PKCE verifier an injected code cannot be detected, so no token is requested.
  if (!verifier || !verifierPattern.test(verifier.reveal())) return 'pkce_missing'
  // The OAuth library can check the issuer only if the expected one is known.
  const issuer = known.issuer === undefined ? undefined : input.issuer
  return { ready, found: { code, nonce: pending.nonce, issuer, verifier, config, clientId } }
}

const codeIn = ({ answer }: ReceiveCallback): Secret | undefined => ('code' in answer ? answer.code : undefined)

async function exchangeOrWait(
  ports: Ports,
  settings: Settings,
  link: Link,
  ready: ReadyIntegration,
  found: CodeToExchange,
  actor: Actor,
): Promise<LinkInProgress> {
  if (link.completionChallenge) return settled(await keepWaitingCode(ports, settings, link, found, actor))
  const exchange = exchangeCode(ports, settings, { link, ready, ...found, actor })
  return { link, done: ports.background.keep(exchange) }
}

export const codeParameterOf = ({ integrations }: Pick<Ports, 'integrations'>, integration: string): string =>
  integrations.find(integration)?.codeParameter ?? 'code'

const configFrom = ({ integrations }: Ports, link: Link, { parameters = {} }: ReceiveCallback): Config | undefined => {
  const integration = integrations.of(link)
  return integration ? callbackValues(integration, link.config, parameters) : link.config
}

const endAtCallback = (ports: Ports, link: Link, { answer, actor }: ReceiveCallback): Promise<Link> =>
  endLink(
    ports,
    link,
    'error' in answer
      ? { ...consentEnd(answer.error, answer.description), actor }
      : { to: 'failed', actor, facts: { cause: 'callback_rejected', detail: 'values' } },
  )

const settled = (link: Link): LinkInProgress => ({ link, done: Promise.resolve(link) })

const ended = new Failure('callback_unknown', 'It was already used, has expired, or was never started here.')

const refusals = {
  unknown: ended,
  expired: ended,
  foreign_browser: new Failure('callback_foreign', 'You started in another browser.'),
  cookie_missing: new Failure('callback_foreign', 'Our cookie is missing.', { variant: 'cookie_missing' }),
  foreign_callback: new Failure('callback_foreign', 'The response belongs to another integration.', {
    variant: 'other_app',
  }),
}

async function assertClaimed(ports: Ports, claim: Claim, input: ReceiveCallback): Promise<PendingAuthorization> {
  if ('pending' in claim) return claim.pending
  const facts = { refusal: callbackRejection(claim.outcome, input.browsers) }
  const about = 'link' in claim ? await whoseLink(ports, claim.link) : { subject: undefined }
  await ports.audit.note({ action: 'callback.rejected', actor: input.actor, ...about, facts })
  const isWithoutCookie = claim.outcome === 'foreign_browser' && input.browsers.length === 0
  throw refusals[isWithoutCookie ? 'cookie_missing' : claim.outcome]
}

async function whoseLink({ links }: Ports, link: string) {
  const found = await links.find(link)
  const subject = { kind: 'link' as const, id: link }
  return { subject, tenant: found?.tenant, link, connection: found?.connectionId }
}

/** Error responses may be unsigned: they carry nothing that could be used. */
function isSigned({ integration, client }: ReadyIntegration, input: ReceiveCallback): boolean {
  const code = codeIn(input)
  if (!code) return true
  const { parameters, state, issuer } = input
  const iss = issuer === undefined ? {} : { iss: issuer }
  const callback = { ...parameters, ...iss, state, [integration.codeParameter]: code.reveal() }
  return isSignedCallback(integration, callback, client.secret)
}

async function endForeign(ports: Ports, link: Link, { actor }: ReceiveCallback, detail: string): Promise<never> {
  await endLink(ports, link, { to: 'failed', actor, facts: { cause: 'callback_rejected', detail } })
  throw new Failure('callback_foreign', 'The response doesn’t come from the app you wanted to connect.', {
    variant: 'other_app',
  })
}

async function endRemoved(ports: Ports, link: Link, actor: Actor): Promise<Link> {
  const cause = 'integration_removed'
  await ports.audit.note({ action: 'callback.rejected', actor, ...aboutLink(link), facts: { refusal: cause } })
  return endLink(ports, link, { to: 'failed', actor, facts: { cause } })
}

async function endWithoutVerifier(ports: Ports, link: Link, actor: Actor): Promise<never> {
  const facts = { cause: 'callback_rejected', detail: 'pkce_missing' } as const
  await endLink(ports, link, { to: 'failed', actor, facts })
  throw new Failure('unexpected', 'The problem is on our side.')
}

type Carried = { verifier?: Secret; link?: Link | undefined; clientId?: string | undefined }

function openPending({ seal }: Ports, pending: PendingAuthorization): Carried {
  try {
    const opened = seal.open(pending.verifier, sealContext.verifier(pending.link)).reveal()
    const [verifier = '', link, clientId] = opened.split('\n')
    return { verifier: new Secret(verifier), link: link === undefined ? undefined : unpackLink(link), clientId }
  } catch {
    return {}
  }
}
