import type { Actor } from '../../domain/audit/audit.ts'
import { readInputs } from '../../domain/catalogue/integration-values.ts'
import type { ConnectSession } from '../../domain/connect-session.ts'
import type { IfConnected } from '../../domain/end-users/if-connected.ts'
import { Failure, requestInvalid } from '../../domain/failure.ts'
import { inputPointer } from '../../domain/input-error.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Config, EndUser } from '../../domain/link.ts'
import { isAllowedReturn } from '../../domain/linking/return-url.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { ConnectSessions } from '../../domain/ports/linking.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Audit, IdempotencyClaim, Integrations, RateLimits, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { assertActive, type Caller } from '../../domain/tenant.ts'
import { isTestTenant, type TestOutcome } from '../../domain/test-mode/test-mode.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { findLinkable } from '../../tenants/flows/find-client.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'
import { assertRoom } from './assert-room.ts'
import { choosableItems } from './choose-integration.ts'

export type MintConnectSession = {
  caller: Caller
  actor: Actor
  tenant: string
  /** Undefined: the user picks one of the choices. */
  integration: string | undefined
  choices?: string[] | undefined
  endUser: EndUser
  returnUrl: string
  completionChallenge: string | undefined
  ttlSeconds: number | undefined
  /** What becomes of an account that the user has connected before. */
  ifConnected?: IfConnected | undefined
  /** Said in the place of the user, by the names of the profile. */
  inputs?: Readonly<Record<string, string>> | undefined
  testOutcome?: TestOutcome | undefined
  claim?: IdempotencyClaim | undefined
}

type Needs = {
  tenants: Tenants
  sessions: ConnectSessions
  integrations: Integrations
  tokens: Tokens
  rates: RateLimits
  audit: Audit
  links: Links
  connections: Connections
}

export const mintConnectSession =
  (
    needs: Needs,
    settings: Pick<Settings, 'publicUrl' | 'completion' | 'sessionSeconds' | 'rates' | 'backlogPerTenant'>,
  ) =>
  async (input: MintConnectSession): Promise<{ session: ConnectSession; url: string }> => {
    const tenant = await readTenant(needs)({ caller: input.caller, id: input.tenant })
    assertActive(tenant)
    const { id, token, made } = await newSession(needs, input.claim)
    const url = `${settings.publicUrl}/connect/${token}`
    if (made) return { session: made, url }
    await limitRate(needs)(settings.rates.mint, tenant.id)
    await assertNoBacklog(needs, tenant.id, settings.backlogPerTenant)
    const inputs = await assertIntegrations(needs, tenant.id, input)
    await assertRegisteredReturn(needs, input, tenant.returnUrls)
    assertChallenge(input, settings.completion)
    assertInTestMode(input)
    const { endUser, returnUrl, completionChallenge, integration, choices, ifConnected = 'add', testOutcome } = input
    const about = { tenant: tenant.id, endUser, ifConnected, connectionId: undefined }
    if (integration !== undefined) await assertRoom(needs, { ...about, integration })
    const session = await needs.sessions.create(
      {
        id,
        ...about,
        integration,
        choices: integration === undefined ? (choices ?? []) : undefined,
        returnUrl,
        completionChallenge,
        inputs,
        testOutcome,
        allowOtherAccount: false,
        ttlSeconds: input.ttlSeconds ?? settings.sessionSeconds,
      },
      needs.tokens.digest(token),
      {
        action: 'session.minted',
        actor: input.actor,
        subject: { kind: 'connect_session', id },
        tenant: tenant.id,
        facts: { integrationId: integration, choices, ifConnected: input.ifConnected },
      },
    )
    return { session, url }
  }

/** Id and token for a session, and the session itself if an earlier attempt of the same request created it. */
export async function newSession(
  { tokens, sessions }: Pick<Needs, 'tokens' | 'sessions'>,
  claim: IdempotencyClaim | undefined,
) {
  const [id, token] = [tokens.id('ses', claim?.seed), tokens.fresh(claim?.seed)]
  return { id, token, made: claim?.isRetry ? await sessions.find(id) : undefined }
}

/** While the platform is down, grants wait in escrow; beyond this limit no more are accepted. */
async function assertNoBacklog({ links }: Needs, tenant: string, most: number): Promise<void> {
  if ((await links.backlog(tenant, most)) < most) return
  const detail = 'Too many links of this tenant wait for the platform. Try again when it has caught up.'
  throw new Failure('backlog_full', detail, { retryAfterSeconds: 60 })
}

/** What is said for the one that is named. Of choices every one is a promise to the user, so each is looked for. */
async function assertIntegrations(needs: Needs, tenant: string, input: MintConnectSession): Promise<Config> {
  const { integration, choices = [], inputs = {} } = input
  if (integration !== undefined) {
    if (!needs.integrations.of({ tenant, integration })) throw inputInvalid('/integrationId', unavailable)
    return assertInputs((await findLinkable(needs, { tenant, integration })).integration, inputs)
  }
  const available = new Set((await choosableItems(needs, { tenant, choices })).map(({ id }) => id))
  const unknown = choices.findIndex((id) => !available.has(id))
  if (unknown >= 0) throw inputInvalid(`/integrationIds/${unknown}`, unavailable)
  return {}
}

const unavailable = 'is not available to this tenant: GET /integrations says which are'

/** Those that are said; the user is asked for the others. */
function assertInputs(integration: Integration, given: Readonly<Record<string, string>>): Config {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(integration.inputs, name))
  if (unknown !== undefined) throw inputInvalid(inputPointer(unknown), 'is not asked for by this integration')
  const { config, problems } = readInputs(integration, given)
  const wrong = problems.find(({ name }) => Object.hasOwn(given, name))
  if (wrong) throw inputInvalid(inputPointer(wrong.name), wrong.detail)
  return config
}

const unregistered =
  'is not one of the return URLs registered for this tenant. They are compared letter for letter: a slash at the end, or 127.0.0.1 for localhost, makes another one'

/** Browsers are sent to registered return URLs only. */
export async function assertRegisteredReturn(
  { audit }: { audit: Audit },
  input: Pick<MintConnectSession, 'actor' | 'tenant' | 'returnUrl'>,
  returnUrls: readonly string[],
) {
  if (isAllowedReturn(input.returnUrl, returnUrls)) return
  await audit.note({
    action: 'return_url.rejected',
    actor: input.actor,
    subject: { kind: 'tenant', id: input.tenant },
    tenant: input.tenant,
    facts: { refusal: 'not_registered' },
  })
  throw inputInvalid('/returnUrl', unregistered)
}

export function assertChallenge(
  input: Pick<MintConnectSession, 'completionChallenge'>,
  completion: Settings['completion'],
) {
  if (completion === 'required' && input.completionChallenge === undefined) {
    throw inputInvalid('/completionChallenge', 'is required: the base64url SHA-256 of a verifier you keep')
  }
}

/** No real provider can be told what to do. */
export function assertInTestMode({ tenant, testOutcome }: { tenant: string; testOutcome?: TestOutcome | undefined }) {
  if (testOutcome !== undefined && !isTestTenant(tenant)) {
    throw inputInvalid('/testOutcome', 'is for tenants of test mode alone')
  }
}

export const inputInvalid = (pointer: string, detail: string) => requestInvalid({ pointer, detail })
