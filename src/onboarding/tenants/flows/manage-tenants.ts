import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import { Failure, missing, requestInvalid } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { IdempotencyClaim, Page } from '../../domain/ports/shared.ts'
import type { NewTenant, PutTenant, Tenants } from '../../domain/ports/tenants.ts'
import {
  assertKept,
  type Caller,
  maySee,
  missingTenant,
  previousSecretExpiry,
  type Tenant,
  type TenantChanges,
  type TenantDetails,
} from '../../domain/tenant.ts'
import { isTestTenant, isTestWorkspace, testTenantPrefix } from '../../domain/test-mode/test-mode.ts'

/** Test mode needs no workspace. */
type SentDetails = Omit<TenantDetails, 'workspace'> & { workspace?: string | undefined }

type CreateTenant = {
  caller: Caller
  actor: Actor
  /** Undefined: an ID is generated. */
  id: string | undefined
  details: SentDetails
  claim: IdempotencyClaim | undefined
  reason?: string | undefined
}

type CreatedTenant = { tenant: Tenant; signingSecret: Secret }

export async function createTenant(
  { tenants, tokens, platformProbe }: Ports,
  { caller, actor, id: chosen, details, claim, reason }: CreateTenant,
): Promise<CreatedTenant> {
  assertDeploymentKey(caller)
  const id = chosen ?? newTenantId(tokens.id('ten', claim?.seed), caller)
  assertIdOfMode(caller, id)
  const signingSecret = new Secret(tokens.fresh(claim?.seed))
  const made = claim?.isRetry && !chosen ? await tenants.refresh(id) : undefined
  if (made) return { tenant: made, signingSecret }
  const inMode = inItsMode({ id, ...details })
  await assertWorkspace({ platformProbe }, inMode)
  const audit = { action: 'tenant.put' as const, actor, ...aboutTenant(id), reason }
  const tenant = await tenants.create(inMode, signingSecret, audit)
  if (!tenant) throw new Failure('tenant_exists', 'A tenant with this ID exists or existed.')
  return { tenant, signingSecret }
}

export async function updateTenant(
  { tenants, platformProbe }: Ports,
  { caller, actor, id, changes, reason }: OnTenant & { changes: TenantChanges },
): Promise<Tenant> {
  assertDeploymentKey(caller)
  if (!maySee(caller, id)) throw missingTenant(caller, id)
  const inMode = isTestTenant(id) ? { ...changes, workspace: undefined } : changes
  await assertNewWorkspace({ tenants, platformProbe }, { id, workspace: inMode.workspace })
  const tenant = await tenants.update(id, inMode, { action: 'tenant.put', actor, ...aboutTenant(id), reason })
  if (!tenant) throw missing('tenant')
  return tenant
}

export async function putTenant(
  { tenants, tokens, platformProbe }: Ports,
  { caller, actor, tenant: given }: { caller: Caller; actor: Actor; tenant: SentDetails & Pick<Tenant, 'id'> },
): Promise<PutTenant & { signingSecret: Secret | undefined }> {
  assertDeploymentKey(caller)
  assertIdOfMode(caller, given.id)
  const tenant = inItsMode(given)
  await assertNewWorkspace({ tenants, platformProbe }, tenant)
  const secret = new Secret(tokens.fresh())
  const put = await tenants.put(tenant, secret, { action: 'tenant.put', actor, ...aboutTenant(tenant.id) })
  return { ...put, signingSecret: put.created ? secret : undefined }
}

export type OnTenant = { caller: Caller; actor: Actor; id: string; reason?: string | undefined }

/** Blocks new sessions and links; existing connections keep working. Suspending twice is a no-op. */
export const suspendTenant = (ports: Ports, input: OnTenant): Promise<Tenant> =>
  changeStatus(ports, { status: 'suspended', action: 'tenant.suspended' }, input)

export const reactivateTenant = (ports: Ports, input: OnTenant): Promise<Tenant> =>
  changeStatus(ports, { status: 'active', action: 'tenant.reactivated' }, input)

type StatusChange = { status: 'suspended' | 'active'; action: 'tenant.suspended' | 'tenant.reactivated' }

async function changeStatus(
  { tenants }: Ports,
  { status, action }: StatusChange,
  { caller, actor, id, reason }: OnTenant,
): Promise<Tenant> {
  assertDeploymentKey(caller)
  if (!maySee(caller, id)) throw missingTenant(caller, id)
  const changed = await tenants.changeStatus(id, status, { action, actor, ...aboutTenant(id), reason })
  return changed ?? readTenant({ tenants }, { caller, id })
}

type RotatedSigningSecret = { secret: Secret; activeFrom: Date; previousSecretExpiresAt: Date }

/**
 * The current secret signs until `activeFrom`, so that the tenant can first accept both. Replaces a secret that is not
 * yet active.
 */
export async function rotateSigningSecret(
  { tenants, tokens }: Ports,
  { caller, actor, id, reason, afterSeconds }: OnTenant & { afterSeconds: number },
): Promise<RotatedSigningSecret> {
  assertDeploymentKey(caller)
  const secret = new Secret(tokens.fresh())
  assertKept(await readTenant({ tenants }, { caller, id }))
  const activeFrom = await tenants.rotateSigningSecret(id, secret, afterSeconds, {
    action: 'tenant.signing_secret_rotated',
    actor,
    ...aboutTenant(id),
    reason,
    facts: { afterSeconds },
    after: { secretFingerprint: tokens.fingerprint(secret) },
  })
  if (!activeFrom) throw missing('tenant')
  return { secret, activeFrom, previousSecretExpiresAt: previousSecretExpiry(activeFrom, afterSeconds) }
}

export async function readTenant(
  ports: Pick<Ports, 'tenants'>,
  { caller, id }: { caller: Caller; id: string },
): Promise<Tenant> {
  if (!maySee(caller, id)) throw missingTenant(caller, id)
  return tenantOf(ports, id)
}

export async function tenantOf({ tenants }: { tenants: Pick<Tenants, 'find'> }, id: string): Promise<Tenant> {
  const tenant = await tenants.find(id)
  if (!tenant) throw missing('tenant')
  return tenant
}

export async function listTenants(
  { tenants }: Ports,
  input: { caller: Caller; cursor: string | undefined; limit: number },
): Promise<Page<Tenant>> {
  const { tenant: only } = input.caller
  if (only === undefined) return tenants.list({ ...input, testMode: input.caller.testMode })
  const own = await tenants.find(only)
  return { data: own ? [own] : [], nextCursor: undefined }
}

const newTenantId = (id: string, { testMode }: Caller): string =>
  `${testMode ? testTenantPrefix : ''}${id.replace('_', '-')}`

function assertIdOfMode({ testMode }: Caller, id: string): void {
  if (testMode === undefined || testMode === isTestTenant(id)) return
  const detail = testMode
    ? `must begin with ${testTenantPrefix}, because the request used a test key`
    : `must not begin with ${testTenantPrefix}, because the request used a live key`
  throw requestInvalid({ pointer: '/id', detail })
}

function inItsMode({ workspace, ...tenant }: SentDetails & Pick<Tenant, 'id'>): NewTenant {
  if (isTestTenant(tenant.id)) return { ...tenant, workspace: tenant.id }
  if (workspace === undefined) throw requestInvalid({ pointer: '/workspace', detail: 'is required' })
  return { ...tenant, workspace }
}

export function assertDeploymentKey(caller: Caller) {
  if (caller.tenant !== undefined) {
    throw new Failure('key_limited', 'This key is limited to one tenant and can’t change tenants.')
  }
}

async function assertNewWorkspace(
  { tenants, platformProbe }: Pick<Ports, 'tenants' | 'platformProbe'>,
  { id, workspace }: { id: string; workspace?: string | undefined },
) {
  if (workspace === undefined || (await tenants.find(id))?.workspace === workspace) return
  await assertWorkspace({ platformProbe }, { workspace })
}

/** Reject an unknown workspace before users consent. If the platform does not respond, the tenant is accepted. */
async function assertWorkspace(
  { platformProbe }: Pick<Ports, 'platformProbe'>,
  { workspace }: Pick<TenantDetails, 'workspace'>,
) {
  if (isTestWorkspace(workspace)) return
  const { workspaces } = await platformProbe.look()
  if (!workspaces || workspaces.includes(workspace)) return
  throw new Failure('workspace_unknown', `The platform has no workspace “${workspace}” that our key can access.`)
}
