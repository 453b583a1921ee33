import { didYouMean } from '../../../kit/process/closest-name.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { readInputs } from '../../domain/catalogue/integration-values.ts'
import type { ConnectSession } from '../../domain/connect-session.ts'
import type { Connection } from '../../domain/connection.ts'
import { defaultIfConnected, type IfConnected } from '../../domain/end-users/if-connected.ts'
import { Failure, requestInvalid } from '../../domain/failure.ts'
import { inputPointer } from '../../domain/input-error.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Config, EndUser } from '../../domain/link.ts'
import type { ConnectionNames } from '../../domain/linking/connection-names.ts'
import { isAllowedReturn } from '../../domain/linking/return-url.ts'
import { scopeProblem } from '../../domain/linking/scope-choice.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { IdempotencyClaim } from '../../domain/ports/shared.ts'
import type { Settings } from '../../domain/settings.ts'
import { assertActive, type Caller } from '../../domain/tenant.ts'
import { isTestTenant, type TestOutcome } from '../../domain/test-mode/test-mode.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { findLinkable } from '../../tenants/flows/find-client.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'
import { assertAliasFree, assertRoom, choosableItems } from './choose-integration.ts'

type MintConnectSession = ConnectionNames & {
  caller: Caller
  actor: Actor
  tenant: string
  integration: string | undefined
  choices?: string[] | undefined
  endUser: EndUser
  returnUrl: string
  completionChallenge: string | undefined
  ttlSeconds: number | undefined
  ifConnected?: IfConnected | undefined
  inputs?: Readonly<Record<string, string>> | undefined
  scopes?: string[] | undefined
  testOutcome?: TestOutcome | undefined
  claim?: IdempotencyClaim | undefined
}

export async function mintConnectSession(
  ports: Ports,
  settings: Settings,
  input: MintConnectSession,
): Promise<{ session: ConnectSession; url: string }> {
  const tenant = await readTenant(ports, { caller: input.caller, id: input.tenant })
  assertActive(tenant)
  const { id, token, made } = await newSession(ports, input.claim)
  const url = `${settings.publicUrl}/connect/${token}`
  if (made) return { session: made, url }
  await limitRate(ports, settings.rates.mint, tenant.id)
  await assertNoBacklog(ports, tenant.id, settings.backlogPerTenant)
  const inputs = await assertIntegrations(ports, tenant.id, input)
  await assertRegisteredReturn(ports, input, tenant.returnUrls)
  assertChallenge(input, settings.completion)
  assertInTestMode(input)
  const { endUser, returnUrl, completionChallenge, integration, choices, testOutcome } = input
  const { ifConnected = defaultIfConnected, alias, labels, scopes } = input
  const about = { tenant: tenant.id, endUser, ifConnected, connectionId: undefined }
  if (integration !== undefined) {
    await assertRoom(ports, { ...about, integration })
    await assertAliasFree(ports, { ...about, integration, alias })
  }
  const session = await ports.sessions.create(
    {
      id,
      ...about,
      integration,
      choices: integration === undefined ? (choices ?? []) : undefined,
      returnUrl,
      completionChallenge,
      inputs,
      alias,
      labels,
      scopes,
      testOutcome,
      allowOtherAccount: false,
      ttlSeconds: input.ttlSeconds ?? settings.sessionSeconds,
    },
    ports.tokens.digest(token),
    {
      action: 'session.minted',
      actor: input.actor,
      subject: { kind: 'connect_session', id },
      tenant: tenant.id,
      facts: { integrationId: integration, choices, ifConnected: input.ifConnected, scopes },
    },
  )
  return { session, url }
}

export async function newSession(
  { tokens, sessions }: Pick<Ports, 'tokens' | 'sessions'>,
  claim: IdempotencyClaim | undefined,
) {
  const [id, token] = [tokens.id('ses', claim?.seed), tokens.fresh(claim?.seed)]
  return { id, token, made: claim?.isRetry ? await sessions.find(id) : undefined }
}

/** While the platform is down, grants wait in escrow. The limit bounds how many. */
async function assertNoBacklog({ links }: Ports, tenant: string, max: number): Promise<void> {
  if ((await links.backlog(tenant, max)) < max) return
  const detail = 'Too many links of this tenant wait for the platform. Try again when it has caught up.'
  throw new Failure('backlog_full', detail, { retryAfterSeconds: 60 })
}

/** Returns the validated inputs. Each choice must be available, because the user is promised all of them. */
async function assertIntegrations(ports: Ports, tenant: string, input: MintConnectSession): Promise<Config> {
  const { integration, choices = [], inputs = {} } = input
  if (integration !== undefined) {
    if (!ports.integrations.of({ tenant, integration })) {
      const offered = await choosableItems(ports, { tenant, choices: [] })
      throw inputInvalid('/integrationId', unavailable(integration, offered))
    }
    const { integration: linkable } = await findLinkable(ports, { tenant, integration })
    assertScopes(linkable, input.scopes)
    return assertInputs(linkable, inputs)
  }
  const offered = await choosableItems(ports, { tenant, choices: [] })
  const available = new Set(offered.map(({ id }) => id))
  const unknown = choices.findIndex((id) => !available.has(id))
  if (unknown >= 0) throw inputInvalid(`/integrationIds/${unknown}`, unavailable(choices[unknown] as string, offered))
  return {}
}

export function assertScopes(integration: Integration, named: readonly string[] = [], connection?: Connection): void {
  const problem = named.length > 0 ? scopeProblem(integration, named, connection) : undefined
  if (problem) throw inputInvalid(problem.at === undefined ? '/scopes' : `/scopes/${problem.at}`, problem.detail)
}

/** Suggests only what the tenant could link. */
function unavailable(typed: string, offered: ReadonlyArray<{ id: string }>): string {
  const hint = didYouMean(
    typed,
    offered.map(({ id }) => id),
  )
  const none = /^[\w.-]+$/.test(typed) ? `No integration "${typed}"` : 'No such integration'
  return hint ? `${none}.${hint}` : `${none} is available to this tenant. GET /integrations lists the available ones.`
}

function assertInputs(integration: Integration, given: Readonly<Record<string, string>>): Config {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(integration.inputs, name))
  if (unknown !== undefined) throw inputInvalid(inputPointer(unknown), 'is not an input of this integration')
  const { config, problems } = readInputs(integration, given)
  const wrong = problems.find(({ name }) => Object.hasOwn(given, name))
  if (wrong) throw inputInvalid(inputPointer(wrong.name), wrong.detail)
  return config
}

const unregistered =
  'is not one of the return URLs registered for this tenant. URLs are compared exactly: a trailing slash, or 127.0.0.1 instead of localhost, is a different URL'

export async function assertRegisteredReturn(
  { audit }: Pick<Ports, 'audit'>,
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

export function assertInTestMode({ tenant, testOutcome }: { tenant: string; testOutcome?: TestOutcome | undefined }) {
  if (testOutcome !== undefined && !isTestTenant(tenant)) {
    throw inputInvalid('/testOutcome', 'is only for test mode tenants')
  }
}

export const inputInvalid = (pointer: string, detail: string) => requestInvalid({ pointer, detail })
