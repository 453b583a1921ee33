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
import type { Connections } from '../../domain/ports/connections.ts'
import type { ConnectSessions, PendingAuthorizations } from '../../domain/ports/linking.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Audit, Integrations, LinkTraces, Seal, Tokens } from '../../domain/ports/shared.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { withOutcomeChosen } from '../../domain/test-mode/test-mode.ts'
import { type DiscoverNeeds, discoverServer } from '../../provisioning/flows/discover-server.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import {
  findClient,
  type LinkableIntegration,
  notOffered,
  undefinedIfMissing,
} from '../../tenants/flows/find-client.ts'
import { assertRoom } from './assert-room.ts'
import { authorize, rethrowAsFailure } from './authorize.ts'
import { chosenSession } from './choose-integration.ts'
import { newLink } from './new-link.ts'
import { activeTenant } from './page-owner.ts'

export type StartLink = {
  token: string
  /** What the user picked, if the session leaves that to them. */
  app?: string | undefined
  actor: Actor
  browsers: string[]
  /** What the user typed, by the names of the profile. */
  inputs?: Readonly<Record<string, unknown>> | undefined
}

/** From the page of a link that ended: `linkId` names it, and only its own browser may. */
export type TryAgain = Omit<StartLink, 'token'> & { linkId: string }

/** `browser` is the secret for the browser's cookie. Undefined if the browser already has it. */
export type StartedLink = {
  url: string
  linkId: string
  browser: string | undefined
  locale: string | undefined
  /** For the page on the way. */
  tenant: Tenant | undefined
}

export type StartNeeds = DiscoverNeeds & {
  sessions: ConnectSessions
  integrations: Integrations
  connections: Connections
  links: Links
  provider: Provider
  pending: PendingAuthorizations
  seal: Seal
  tokens: Tokens
  audit: Audit
  traces: LinkTraces
}

export type StartSettings = Pick<Settings, 'publicUrl' | 'authorizationSeconds' | 'connectionPut'>

export const startLink =
  (needs: StartNeeds, settings: StartSettings) =>
  async ({ actor, browsers, inputs, ...by }: StartLink | TryAgain): Promise<StartedLink> => {
    const { session, again } = await startableSession(needs, by, { actor, browsers })
    await assertRoom(needs, session)
    const page = { locale: session.endUser.locale, tenant: await activeTenant(needs, session.tenant) }
    const isUnderWay = again !== undefined && !isRestart(session, again)
    const config = isUnderWay
      ? again.config
      : await discovered(needs, settings, { session, actor, config: await configOf(needs, session, again, inputs) })
    const { tenant, integration } = session
    const ready = await findClient(needs, { tenant, integration, config }).catch(undefinedIfMissing)
    if (!ready) throw await removedFailure(needs, session, actor)
    const toProvider = async (link: Link, forceConsent: boolean) =>
      withOutcomeChosen(
        await authorize(needs, settings)(link, ready, forceConsent).catch((error) =>
          noteUnreached(needs, session, actor, error),
        ),
        session.testOutcome,
      )
    if (isUnderWay) {
      return { url: await toProvider(again, again.forcedConsent), linkId: again.id, browser: undefined, ...page }
    }
    if (again) await needs.sessions.archiveFailedLink(session, needs.tokens.id('ses'))
    const browser = needs.tokens.fresh()
    const link = { ...(await newLink(needs, settings, session, needs.tokens.digest(browser))), config }
    // Asked for by force after a first try: a provider may remember which permissions were left out.
    const url = await toProvider(link, again !== undefined)
    // Written last: everything before it expires by itself.
    await openLink(needs, settings, { session, link, linkable: ready, actor })
    return { url, linkId: link.id, browser, ...page }
  }

/** What is known of the account before it is authorized; throws what is missing or wrong, for the page to say. */
async function configOf(
  needs: StartNeeds,
  session: ChosenSession,
  again: Link | undefined,
  typed: Readonly<Record<string, unknown>> = {},
): Promise<Config> {
  const integration = needs.integrations.of(session)
  if (!integration) return {}
  // What was typed for another app, which the user picked before, is none of this one's.
  if (again?.integration === integration.id) return typedValues(integration, again.config)
  const connection = session.connectionId ? await needs.connections.find(session.connectionId) : undefined
  // What a connection has is not asked for again, and not taken from anybody: a re-link is for the same account.
  const known = { ...session.inputs, ...typedValues(integration, connection?.config ?? {}) }
  const { config, problems } = readInputs(integration, { ...typed, ...known })
  if (problems.length === 0) return config
  const errors = problems.map(({ name, detail }) => ({ pointer: inputPointer(name), detail }))
  throw new Failure('input_invalid', 'Please check what you typed.', { errors })
}

type Discovering = { session: ChosenSession; config: Config; actor: Actor }

/** With what an MCP server says about itself now: a re-link is how a connection follows one that has changed. */
async function discovered(needs: StartNeeds, settings: StartSettings, { session, config, actor }: Discovering) {
  const integration = needs.integrations.of(session)
  if (integration?.mcpUrl === undefined) return config
  const connection = session.connectionId ? await needs.connections.find(session.connectionId) : undefined
  const { tenant } = session
  return discoverServer(
    needs,
    settings,
  )({ integration, tenant, config, before: connection?.config.scope, actor })
    .catch(rethrowAsFailure)
    .catch((error) => noteUnreached(needs, session, actor, error))
}

/** The link that was started before has ended, and the session may be used once more. */
export const isRestart = (session: ConnectSession, again: Link): boolean =>
  mayStartAgain(session, again) || mayTryAgain(again)

type NewLink = { session: ChosenSession; link: Link; linkable: LinkableIntegration; actor: Actor }

export async function openLink(
  needs: StartNeeds,
  { authorizationSeconds }: Pick<Settings, 'authorizationSeconds'>,
  { session, link, linkable, actor }: NewLink,
): Promise<void> {
  const facts = { client: clientOwner(linkable) } as const
  const audit = { action: 'link.started' as const, actor, ...aboutLink(link), facts }
  if (await needs.links.open({ ...link, expiresInSeconds: authorizationSeconds }, audit)) return
  // Another request was faster; the audit entry names the link it created.
  throw await startFailure(needs, await needs.sessions.find(session.id), actor, 'token_used')
}

/** With the link that was started before, if there is one. */
export async function startableSession(
  needs: StartNeeds,
  by: SessionKey,
  { actor, browsers }: Pick<StartLink, 'actor' | 'browsers'>,
) {
  const session = await sessionBy(needs, by)
  const again = session?.linkId ? await needs.links.find(session.linkId) : undefined
  const refusal = startRefusal(session, again, browsers)
  if (!session || refusal) throw await startFailure(needs, session, actor, refusal ?? 'token_unknown')
  const chosen = chosenSession(session, 'token' in by ? by.app : again?.integration)
  if (!chosen) throw await removedFailure(needs, session, actor)
  return { session: chosen, again: again && (await leaveOtherApp(needs, again, chosen, actor)) }
}

/** Who went back and picked another app has one link: the first one ends as if they had cancelled it. */
async function leaveOtherApp(needs: StartNeeds, link: Link, { integration }: ChosenSession, actor: Actor) {
  if (link.integration === integration || link.state !== 'authorizing') return link
  return endLink(needs)(link, { to: 'cancelled', actor, facts: { cause: 'user_cancelled' } })
}

async function sessionBy(
  { links, sessions, tokens }: Pick<StartNeeds, 'links' | 'sessions' | 'tokens'>,
  by: SessionKey,
) {
  if ('token' in by) return sessions.byToken(tokens.digest(by.token))
  const link = await links.find(by.linkId)
  return link && sessions.find(link.sessionId)
}

type SessionKey = Pick<StartLink, 'token' | 'app'> | Pick<TryAgain, 'linkId'>

/** A form sent by another site: only an audit entry with the session is written. */
export const noteForeignConsent =
  (needs: Pick<StartNeeds, 'links' | 'sessions' | 'tokens' | 'audit'>) =>
  async ({ actor, ...by }: SessionKey & { actor: Actor }): Promise<void> => {
    const session = await sessionBy(needs, by)
    await note(needs, session, actor, { refusal: 'consent_missing' })
  }

async function startFailure(
  needs: StartNeeds,
  session: ConnectSession | undefined,
  actor: Actor,
  refusal: StartRejected['refusal'],
): Promise<Failure> {
  await note(needs, session, actor, { refusal })
  return connectEnded()
}

/** The integration or its client was removed after the session was created. */
export async function removedFailure(needs: { audit: Audit }, session: ConnectSession, actor: Actor): Promise<Failure> {
  await note(needs, session, actor, { refusal: 'integration_removed' })
  return notOffered()
}

/** Audits why the provider could not be reached, or must not be called. */
async function noteUnreached(needs: StartNeeds, session: ConnectSession, actor: Actor, error: unknown): Promise<never> {
  const cause = error instanceof Failure ? error.cause : undefined
  if (cause instanceof DependencyError) {
    const { cause: refusal, detail } = errorFacts(cause)
    await note(needs, session, actor, { refusal, detail })
  }
  throw error
}

const note = ({ audit }: { audit: Audit }, session: ConnectSession | undefined, actor: Actor, facts: StartRejected) =>
  audit.note({
    action: 'connect.rejected',
    actor,
    subject: session && { kind: 'connect_session', id: session.id },
    tenant: session?.tenant,
    link: session?.linkId,
    facts,
  })

type StartRejected = FactsOf<'connect.rejected'>

/** A shared client becomes known to every tenant that uses it, so the audit says which kind it was. */
const clientOwner = ({ integration, client }: LinkableIntegration) => (client === integration.client ? 'shared' : 'own')
