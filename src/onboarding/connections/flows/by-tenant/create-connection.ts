import type { Actor } from '../../../domain/audit/audit.ts'
import { aboutConnection } from '../../../domain/audit/audit-entry.ts'
import { readInputs } from '../../../domain/catalogue/integration-values.ts'
import { type Connection, resourceName } from '../../../domain/connection.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import { Failure, requestInvalid } from '../../../domain/failure.ts'
import { inputPointer } from '../../../domain/input-error.ts'
import { AliasTaken, type ConnectionNames } from '../../../domain/linking/connection-names.ts'
import { chosenScopes } from '../../../domain/linking/scope-choice.ts'
import type { Provisioning } from '../../../domain/ports/platform.ts'
import type { Ports } from '../../../domain/ports/ports.ts'
import type { IdempotencyClaim } from '../../../domain/ports/shared.ts'
import type { Settings } from '../../../domain/settings.ts'
import { assertActive, type Caller } from '../../../domain/tenant.ts'
import { limitRate } from '../../../flows/limit-rate.ts'
import { aliasTaken, assertAliasFree, assertRoom } from '../../../linking/flows/choose-integration.ts'
import { assertScopes } from '../../../linking/flows/mint-connect-session.ts'
import { findLinkable } from '../../../tenants/flows/find-client.ts'
import { readTenant } from '../../../tenants/flows/manage-tenants.ts'

type CreateConnection = ConnectionNames & {
  caller: Caller
  actor: Actor
  tenant: string
  integration: string
  endUserId: string
  inputs?: Readonly<Record<string, string>> | undefined
  scopes?: readonly string[] | undefined
  reason?: string | undefined
  claim?: IdempotencyClaim | undefined
}

/** A function whose account is linked when it is first called. */
export async function createConnection(
  ports: Ports,
  settings: Settings,
  {
    caller,
    actor,
    claim,
    integration,
    endUserId,
    inputs = {},
    scopes,
    reason,
    alias,
    labels,
    ...input
  }: CreateConnection,
): Promise<Connection> {
  const { id: tenant, workspace, ...owner } = await readTenant(ports, { caller, id: input.tenant })
  assertActive(owner)
  const id = ports.tokens.id('con', claim?.seed)
  const made = claim?.isRetry ? await ports.connections.find(id) : undefined
  if (made) return made
  await limitRate(ports, settings.rates.mint, tenant)
  const { integration: linkable } = await findLinkable(ports, { tenant, integration })
  assertScopes(linkable, scopes)
  const { config: values, problems } = readInputs(linkable, inputs)
  if (problems.length > 0) {
    const errors = problems.map(({ name, detail }) => ({ pointer: inputPointer(name), detail }))
    throw requestInvalid(...errors)
  }
  const config = { ...values, ...chosenScopes(linkable, scopes) }
  const owned = { tenant, integration, connectionId: undefined, ifConnected: 'add' as const }
  const endUser = { id: endUserId }
  await assertRoom(ports, { ...owned, endUser })
  await assertAliasFree(ports, { ...owned, endUser, alias })
  const name = resourceName(integration, ports.tokens.nameDigest(id))
  const at = { workspace, integration, connectionId: id, connectionName: name, functionName: name, alias }
  // Under the same Idempotency-Key a retry after a crash finds them.
  await ports.platform.createConnection(at, { config }).catch(throwUnavailable)
  const { url: functionUrl } = await ports.platform.createFunction(at).catch(throwUnavailable)
  const connection = { id, tenant, workspace, integration, name, functionName: name, functionUrl, config, endUserId }
  const create = ports.connections.create(
    { ...connection, alias, labels },
    {
      action: 'connection.created',
      actor,
      ...aboutConnection({ id, tenant }),
      reason,
      before: {},
      after: { status: 'not_linked' },
    },
  )
  return create.catch((error) => clearIfTaken(ports, at, error))
}

/** A parallel request took the alias. */
async function clearIfTaken({ platform }: Ports, at: Provisioning, error: unknown): Promise<never> {
  if (!(error instanceof AliasTaken)) throw error
  await platform.deleteFunction(at).catch(throwUnavailable)
  await platform.deleteConnection(at).catch(throwUnavailable)
  throw aliasTaken()
}

function throwUnavailable(error: unknown): never {
  if (!(error instanceof DependencyError)) throw error
  throw new Failure('platform_unavailable', 'The platform is not responding as expected.', { cause: error })
}
