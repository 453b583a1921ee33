import type { Actor } from '../../domain/audit/audit.ts'
import { readInputs } from '../../domain/catalogue/integration-values.ts'
import type { ConnectSession } from '../../domain/connect-session.ts'
import { isFull } from '../../domain/end-users/admission.ts'
import type { IfConnected } from '../../domain/end-users/if-connected.ts'
import { Failure } from '../../domain/failure.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Config, EndUser } from '../../domain/link.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { ConnectSessions } from '../../domain/ports/linking.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Audit, IdempotencyClaim, Integrations, RateLimits, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { isAllowedReturn } from '../../domain/return-url.ts'
import type { Settings } from '../../domain/settings.ts'
import { assertActive, type Caller, type Tenant } from '../../domain/tenant.ts'
import { isTestTenant, type TestOutcome } from '../../domain/test-mode/test-mode.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { findLinkable } from '../../tenants/flows/find-client.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'

export type MintConnectSession = {
  caller: Caller
  actor: Actor
  tenant: string
  integration: string
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
    const { integration: found } = await findLinkable(needs, { tenant: tenant.id, integration: input.integration })
    const inputs = assertInputs(found, input.inputs ?? {})
    await assertRegisteredReturn(needs, input, tenant.returnUrls)
    assertChallenge(input, settings.completion)
    assertInTestMode(input)
    const { endUser, returnUrl, completionChallenge, integration, ifConnected = 'add', testOutcome } = input
    await assertRoom(needs, tenant, { integration, endUserId: endUser.id, ifConnected })
    const session = await needs.sessions.create(
      {
        id,
        tenant: tenant.id,
        integration,
        endUser,
        returnUrl,
        completionChallenge,
        inputs,
        testOutcome,
        connectionId: undefined,
        allowOtherAccount: false,
        ifConnected,
        ttlSeconds: input.ttlSeconds ?? settings.sessionSeconds,
      },
      needs.tokens.digest(token),
      {
        action: 'session.minted',
        actor: input.actor,
        subject: { kind: 'connect_session', id },
        tenant: tenant.id,
        facts: { integrationId: integration, ifConnected: input.ifConnected },
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

/** Nobody is sent to consent to what would be refused afterwards. */
async function assertRoom(
  { connections }: Needs,
  { id: tenant, maxConnectionsPerUser: most }: Tenant,
  { ifConnected, ...user }: { integration: string; endUserId: string; ifConnected: IfConnected },
): Promise<void> {
  if (most === 0 || ifConnected === 'relink') return
  const { count } = await connections.inUse({ tenant, ...user }, undefined)
  if (!isFull(most, count)) return
  const detail = `The user has ${count} connections to this integration, and may have ${most}. Disconnect one first.`
  throw new Failure('connection_limit', detail)
}

/** Those that are said; the user is asked for the others. */
function assertInputs(integration: Integration, given: Readonly<Record<string, string>>): Config {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(integration.inputs, name))
  if (unknown !== undefined) throw inputInvalid(`/inputs/${unknown}`, 'is not asked for by this integration')
  const { config, problems } = readInputs(integration, given)
  const wrong = problems.find(({ name }) => Object.hasOwn(given, name))
  if (wrong) throw inputInvalid(`/inputs/${wrong.name}`, wrong.detail)
  return config
}

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
  throw inputInvalid('/returnUrl', 'is not one of the return URLs registered for this tenant')
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

export const inputInvalid = (pointer: string, detail: string) =>
  new Failure('input_invalid', 'The request is not valid. `errors` says where.', { errors: [{ pointer, detail }] })
