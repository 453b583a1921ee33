import type { Actor } from '../../domain/audit/audit.ts'
import { aboutLink, type FactsOf } from '../../domain/audit/audit-entry.ts'
import { readInputs, typedValues } from '../../domain/catalogue/integration-values.ts'
import {
  type ChosenSession,
  type ConnectSession,
  connectEnded,
  mayStartAgain,
  mayTryAgain,
  startRefusal,
} from '../../domain/connect-session.ts'
import { DependencyError, errorFacts } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import { inputPointer } from '../../domain/input-error.ts'
import type { Config, Link } from '../../domain/link.ts'
import { scopeConfig, withFirstScopes } from '../../domain/linking/scope-choice.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { withOutcomeChosen } from '../../domain/test-mode/test-mode.ts'
import { discoverServer, markIfRejected } from '../../provisioning/flows/discover-server.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import {
  findClient,
  type LinkableIntegration,
  notOffered,
  undefinedIfMissing,
} from '../../tenants/flows/find-client.ts'
import { prepareAuthorization, rethrowAsFailure } from './authorize.ts'
import { assertRoom, chosenSession } from './choose-integration.ts'
import { newLink } from './new-link.ts'
import { activeTenant } from './page-owner.ts'

export type StartLink = {
  token: string
  app?: string | undefined
  actor: Actor
  browsers: string[]
  inputs?: Readonly<Record<string, unknown>> | undefined
  /** Called also if the start fails after the link was written: with the secret this browser can go on. */
  opened?: (linkId: string, browser: string) => void
}

type TryAgain = Omit<StartLink, 'token'> & { linkId: string }

type StartedLink = {
  url: string
  linkId: string
  browser: string | undefined
  locale: string | undefined
  tenant: Tenant | undefined
}

export async function startLink(ports: Ports, settings: Settings, input: StartLink | TryAgain): Promise<StartedLink> {
  const shown = shownSession(ports, input)
  const started = shown && (await startSession(ports, settings, input, { session: shown, again: undefined }))
  if (started) return started
  const found = await startableSession(ports, input, input)
  const read = await startSession(ports, settings, input, found)
  if (!read) throw await usedFailure(ports, found.session, input.actor)
  return read
}

/** The session was read to show its page. What may have changed since is a condition of the statement that opens the link. */
function shownSession({ sessions, tokens }: Ports, by: SessionKey): ChosenSession | undefined {
  const shown = 'token' in by ? sessions.recall(tokens.digest(by.token)) : undefined
  return shown && chosenSession(shown, (by as StartLink).app)
}

/** Returns undefined if the session already has a link, or is not open. */
async function startSession(
  ports: Ports,
  settings: Settings,
  { actor, inputs, opened }: StartLink | TryAgain,
  { session, again }: { session: ChosenSession; again: Link | undefined },
): Promise<StartedLink | undefined> {
  await assertRoom(ports, session)
  const page = { locale: session.endUser.locale, tenant: await activeTenant(ports, session.tenant) }
  const isUnderWay = again !== undefined && !isRestart(session, again)
  const config = isUnderWay
    ? again.config
    : await discovered(ports, settings, { session, actor, config: await configOf(ports, session, again, inputs) })
  const { tenant, integration } = session
  const ready = await findClient(ports, { tenant, integration, config }).catch(undefinedIfMissing)
  if (!ready) throw await removedFailure(ports, session, actor)
  const prepare = (link: Link, forceConsent: boolean) =>
    prepareAuthorization(ports, settings, link, ready, forceConsent).catch((error) =>
      noteUnreached(ports, session, actor, error),
    )
  if (isUnderWay) {
    const { url, store } = await prepare(again, again.forcedConsent)
    await store()
    return { url: withOutcomeChosen(url, session.testOutcome), linkId: again.id, browser: undefined, ...page }
  }
  if (again) await ports.sessions.archiveFailedLink(session, ports.tokens.id('ses'))
  const browser = ports.tokens.fresh()
  const link = { ...(await newLink(ports, settings, session, ports.tokens.digest(browser))), config }
  // A retry forces consent, because a provider may remember which permissions the user left out.
  const { url, store } = await prepare(link, again !== undefined)
  const opening = openLink(ports, settings, { link, linkable: ready, actor })
  // An authorization without a link expires. A link without an authorization is continued by its browser.
  const [stored] = await Promise.allSettled([store(), opening])
  if (!(await opening)) return undefined
  opened?.(link.id, browser)
  if (stored.status === 'rejected') throw stored.reason
  return { url: withOutcomeChosen(url, session.testOutcome), linkId: link.id, browser, ...page }
}

async function configOf(
  ports: Ports,
  session: ChosenSession,
  again: Link | undefined,
  typed: Readonly<Record<string, unknown>> = {},
): Promise<Config> {
  const integration = ports.integrations.of(session)
  if (!integration) return {}
  const connection = await connectionOf(ports, session)
  const scopes = scopeConfig(integration, session.scopes, connection)
  if (again?.integration === integration.id) return { ...typedValues(integration, again.config), ...scopes }
  // A re-link is for the same account, so the values of the connection take precedence.
  const known = { ...session.inputs, ...typedValues(integration, connection?.config ?? {}) }
  const { config, problems } = readInputs(integration, { ...typed, ...known })
  if (problems.length === 0) return { ...config, ...scopes }
  const errors = problems.map(({ name, detail }) => ({ pointer: inputPointer(name), detail }))
  throw new Failure('input_invalid', 'Please check what you typed.', { errors })
}

const connectionOf = async ({ connections }: Ports, { connectionId }: ChosenSession) =>
  connectionId === undefined ? undefined : connections.find(connectionId)

type Discovering = { session: ChosenSession; config: Config; actor: Actor }

/** Discovers the MCP server again at each start, so a re-link picks up its changes. */
async function discovered(ports: Ports, settings: Settings, { session, config, actor }: Discovering) {
  const integration = ports.integrations.of(session)
  if (integration?.mcpUrl === undefined) return config
  const connection = await connectionOf(ports, session)
  if (connection) await markIfRejected(ports, connection, actor)
  const { tenant, scopes } = session
  const before = connection && [connection.config.scope ?? '', ...(scopes ?? [])].join(' ')
  const asked = withFirstScopes(integration, scopes, connection)
  return discoverServer(ports, settings, { integration: asked, tenant, config, before, actor })
    .catch(rethrowAsFailure)
    .catch((error) => noteUnreached(ports, session, actor, error))
}

export const isRestart = (session: ConnectSession, again: Link): boolean =>
  mayStartAgain(session, again) || mayTryAgain(again)

type NewLink = { link: Link; linkable: LinkableIntegration; actor: Actor }

export async function openLink(
  ports: Ports,
  { authorizationSeconds }: Settings,
  { link, linkable, actor }: NewLink,
): Promise<Link | undefined> {
  const facts = { client: clientOwner(linkable) } as const
  const audit = { action: 'link.started' as const, actor, ...aboutLink(link), facts }
  return ports.links.open({ ...link, expiresInSeconds: authorizationSeconds }, audit)
}

export const usedFailure = async (ports: Ports, { id }: ConnectSession, actor: Actor): Promise<Failure> =>
  startFailure(ports, await ports.sessions.find(id), actor, 'token_used')

export async function startableSession(
  ports: Ports,
  by: SessionKey,
  { actor, browsers }: Pick<StartLink, 'actor' | 'browsers'>,
) {
  const session = await sessionBy(ports, by)
  const again = session?.linkId ? await ports.links.find(session.linkId) : undefined
  const refusal = startRefusal(session, again, browsers)
  if (!session || refusal) throw await startFailure(ports, session, actor, refusal ?? 'token_unknown')
  const chosen = chosenSession(session, 'token' in by ? by.app : again?.integration)
  if (!chosen) throw await removedFailure(ports, session, actor)
  return { session: chosen, again: again && (await leaveOtherApp(ports, again, chosen, actor)) }
}

/** A session has one link: picking another app cancels the link of the first. */
async function leaveOtherApp(ports: Ports, link: Link, { integration }: ChosenSession, actor: Actor) {
  if (link.integration === integration || link.state !== 'authorizing') return link
  return endLink(ports, link, { to: 'cancelled', actor, facts: { cause: 'user_cancelled' } })
}

async function sessionBy({ links, sessions, tokens }: Pick<Ports, 'links' | 'sessions' | 'tokens'>, by: SessionKey) {
  if ('token' in by) return sessions.byToken(tokens.digest(by.token))
  const link = await links.find(by.linkId)
  return link && sessions.find(link.sessionId)
}

type SessionKey = Pick<StartLink, 'token' | 'app'> | Pick<TryAgain, 'linkId'>

export async function noteForeignConsent(
  ports: Pick<Ports, 'links' | 'sessions' | 'tokens' | 'audit'>,
  { actor, ...by }: SessionKey & { actor: Actor },
): Promise<void> {
  const session = await sessionBy(ports, by)
  await note(ports, session, actor, { refusal: 'consent_missing' })
}

async function startFailure(
  ports: Ports,
  session: ConnectSession | undefined,
  actor: Actor,
  refusal: StartRejected['refusal'],
): Promise<Failure> {
  await note(ports, session, actor, { refusal })
  return connectEnded()
}

export async function removedFailure(
  ports: Pick<Ports, 'audit'>,
  session: ConnectSession,
  actor: Actor,
): Promise<Failure> {
  await note(ports, session, actor, { refusal: 'integration_removed' })
  return notOffered()
}

async function noteUnreached(ports: Ports, session: ConnectSession, actor: Actor, error: unknown): Promise<never> {
  const cause = error instanceof Failure ? error.cause : undefined
  if (cause instanceof DependencyError) {
    const { cause: refusal, detail } = errorFacts(cause)
    await note(ports, session, actor, { refusal, detail })
    await ports.sessions.noteCause(session.id, refusal)
  }
  throw error
}

const note = (
  { audit }: Pick<Ports, 'audit'>,
  session: ConnectSession | undefined,
  actor: Actor,
  facts: StartRejected,
) =>
  audit.note({
    action: 'connect.rejected',
    actor,
    subject: session && { kind: 'connect_session', id: session.id },
    tenant: session?.tenant,
    link: session?.linkId,
    facts,
  })

type StartRejected = FactsOf<'connect.rejected'>

const clientOwner = ({ integration, client }: LinkableIntegration) => (client === integration.client ? 'shared' : 'own')
