import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import { Failure, missing, requestInvalid } from '../../domain/failure.ts'
import type { PlatformProbe } from '../../domain/ports/platform.ts'
import type { IdempotencyClaim, Page, Tokens } from '../../domain/ports/shared.ts'
import type { NewTenant, PutTenant, Tenants } from '../../domain/ports/tenants.ts'
import {
  assertKept,
  type Caller,
  maySee,
  previousSecretExpiry,
  type Tenant,
  type TenantChanges,
  type TenantDetails,
} from '../../domain/tenant.ts'
import { isTestTenant, isTestWorkspace, testTenantPrefix } from '../../domain/test-mode/test-mode.ts'

export type CreateTenant = {
  caller: Caller
  actor: Actor
  /** Undefined: it gets one. */
  id: string | undefined
  details: TenantDetails
  claim: IdempotencyClaim | undefined
  reason?: string | undefined
}

type WriteNeeds = { tenants: Tenants; platformProbe: PlatformProbe }

export type CreatedTenant = { tenant: Tenant; signingSecret: Secret }

/** Only a key of the deployment writes tenants. The signing secret is shown when it is made, and never again. */
export const createTenant =
  ({ tenants, tokens, platformProbe }: WriteNeeds & { tokens: Tokens }) =>
  async ({ caller, actor, id: chosen, details, claim, reason }: CreateTenant): Promise<CreatedTenant> => {
    assertDeploymentKey(caller)
    const id = chosen ?? newTenantId(tokens.id('ten', claim?.seed), caller)
    assertIdOfMode(caller, id)
    const signingSecret = new Secret(tokens.fresh(claim?.seed))
    const made = claim?.isRetry && !chosen ? await tenants.refresh(id) : undefined
    if (made) return { tenant: made, signingSecret }
    const inMode = inItsMode({ id, ...details })
    await assertWorkspace({ platformProbe }, inMode)
    const tenant = await tenants.create(inMode, signingSecret, {
      action: 'tenant.put',
      actor,
      ...aboutTenant(id),
      reason,
    })
    if (!tenant) throw new Failure('tenant_exists', 'There is, or was, a tenant with this id.')
    return { tenant, signingSecret }
  }

export type UpdateTenant = {
  caller: Caller
  actor: Actor
  id: string
  changes: TenantChanges
  reason?: string | undefined
}

export const updateTenant =
  ({ tenants, platformProbe }: WriteNeeds) =>
  async ({ caller, actor, id, changes, reason }: UpdateTenant): Promise<Tenant> => {
    assertDeploymentKey(caller)
    if (!maySee(caller, id)) throw missing('tenant', id)
    const inMode = isTestTenant(id) ? { ...changes, workspace: undefined } : changes
    await assertNewWorkspace({ tenants, platformProbe }, { id, workspace: inMode.workspace })
    const tenant = await tenants.update(id, inMode, { action: 'tenant.put', actor, ...aboutTenant(id), reason })
    if (!tenant) throw missing('tenant')
    return tenant
  }

export type PutTenantInput = {
  caller: Caller
  actor: Actor
  tenant: NewTenant
}

/** The same under an id that the caller chooses, and may send again. */
export const putTenant =
  ({ tenants, tokens, platformProbe }: WriteNeeds & { tokens: Tokens }) =>
  async ({
    caller,
    actor,
    tenant: given,
  }: PutTenantInput): Promise<PutTenant & { signingSecret: Secret | undefined }> => {
    assertDeploymentKey(caller)
    assertIdOfMode(caller, given.id)
    const tenant = inItsMode(given)
    await assertNewWorkspace({ tenants, platformProbe }, tenant)
    const secret = new Secret(tokens.fresh())
    const put = await tenants.put(tenant, secret, { action: 'tenant.put', actor, ...aboutTenant(tenant.id) })
    return { ...put, signingSecret: put.created ? secret : undefined }
  }

export type OnTenant = { caller: Caller; actor: Actor; id: string; reason?: string | undefined }

/** Nothing begins for it until it is reactivated; what it has goes on. Asking again changes nothing. */
export const suspendTenant =
  ({ tenants }: { tenants: Tenants }) =>
  async ({ caller, actor, id, reason }: OnTenant): Promise<Tenant> => {
    assertDeploymentKey(caller)
    if (!maySee(caller, id)) throw missing('tenant', id)
    const audit = { action: 'tenant.suspended' as const, actor, ...aboutTenant(id), reason }
    return (await tenants.changeStatus(id, 'suspended', audit)) ?? readTenant({ tenants })({ caller, id })
  }

export const reactivateTenant =
  ({ tenants }: { tenants: Tenants }) =>
  async ({ caller, actor, id, reason }: OnTenant): Promise<Tenant> => {
    assertDeploymentKey(caller)
    if (!maySee(caller, id)) throw missing('tenant', id)
    const audit = { action: 'tenant.reactivated' as const, actor, ...aboutTenant(id), reason }
    return (await tenants.changeStatus(id, 'active', audit)) ?? readTenant({ tenants })({ caller, id })
  }

export type RotateSigningSecret = OnTenant & { afterSeconds: number }

export type RotatedSigningSecret = { secret: Secret; activeFrom: Date; previousSecretExpiresAt: Date }

/**
 * Makes the secret that signs from `activeFrom` on. Until then the current one does, so that a tenant can first learn to
 * accept both; a leaked one is replaced at once. A secret that was still to become active is replaced by this one.
 */
export const rotateSigningSecret =
  ({ tenants, tokens }: { tenants: Tenants; tokens: Tokens }) =>
  async ({ caller, actor, id, reason, afterSeconds }: RotateSigningSecret): Promise<RotatedSigningSecret> => {
    assertDeploymentKey(caller)
    const secret = new Secret(tokens.fresh())
    assertKept(await readTenant({ tenants })({ caller, id }))
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

export const readTenant =
  (needs: { tenants: Tenants }) =>
  async ({ caller, id }: { caller: Caller; id: string }): Promise<Tenant> => {
    if (!maySee(caller, id)) throw missing('tenant', id)
    return tenantOf(needs, id)
  }

/** Of something that the caller was shown to own. */
export async function tenantOf({ tenants }: { tenants: Pick<Tenants, 'find'> }, id: string): Promise<Tenant> {
  const tenant = await tenants.find(id)
  if (!tenant) throw missing('tenant')
  return tenant
}

export const listTenants =
  ({ tenants }: { tenants: Tenants }) =>
  async (input: { caller: Caller; cursor: string | undefined; limit: number }): Promise<Page<Tenant>> => {
    const { tenant: only } = input.caller
    if (only === undefined) return tenants.list({ ...input, testMode: input.caller.testMode })
    const own = await tenants.find(only)
    return { data: own ? [own] : [], nextCursor: undefined }
  }

const newTenantId = (id: string, { testMode }: Caller): string =>
  `${testMode ? testTenantPrefix : ''}${id.replace('_', '-')}`

/** Test and live tenants are told apart by their ids, so neither kind of key may make the other kind of tenant. */
function assertIdOfMode({ testMode }: Caller, id: string): void {
  if (testMode === undefined || testMode === isTestTenant(id)) return
  const detail = testMode
    ? `must begin with ${testTenantPrefix}: this key works in test mode`
    : `must not begin with ${testTenantPrefix}: that is for keys of test mode`
  throw requestInvalid({ pointer: '/id', detail })
}

/** A test tenant has no workspace on the platform, whatever one was named. */
const inItsMode = (tenant: NewTenant): NewTenant =>
  isTestTenant(tenant.id) ? { ...tenant, workspace: tenant.id } : tenant

export function assertDeploymentKey(caller: Caller) {
  if (caller.tenant !== undefined) {
    throw new Failure('key_limited', 'This key is limited to one tenant and cannot change tenants.')
  }
}

/** Written again with the workspace it has, nothing is asked. */
async function assertNewWorkspace(
  { tenants, platformProbe }: WriteNeeds,
  { id, workspace }: { id: string; workspace?: string | undefined },
) {
  if (workspace === undefined || (await tenants.find(id))?.workspace === workspace) return
  await assertWorkspace({ platformProbe }, { workspace })
}

/**
 * Otherwise it is found out after consent, one user at a time. A platform that does not answer keeps nobody from making
 * tenants, as it keeps nobody from linking: what is wrong with it, readiness says.
 */
async function assertWorkspace(
  { platformProbe }: Pick<WriteNeeds, 'platformProbe'>,
  { workspace }: Pick<TenantDetails, 'workspace'>,
) {
  if (isTestWorkspace(workspace)) return
  const { workspaces } = await platformProbe.look()
  if (!workspaces || workspaces.includes(workspace)) return
  throw new Failure('workspace_unknown', `The platform has no workspace “${workspace}” that our key can enter.`)
}
