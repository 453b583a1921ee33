import type { Secret } from '../../../kit/crypto/secret.ts'
import type { ApiKey } from '../../domain/api-key.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Clock, Page } from '../../domain/ports/shared.ts'
import type { ApiKeyQuery, ApiKeys, Tenants } from '../../domain/ports/tenants.ts'
import { assertKept } from '../../domain/tenant.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'

export type CreateApiKey = {
  actor: Actor
  name: string
  /** Undefined: a key of the deployment, which may act for every tenant. */
  tenant: string | undefined
  /** Of a key of the deployment; a tenant's follows from the tenant. */
  testMode?: boolean | undefined
  /** Undefined: it never expires. */
  lifetimeDays: number | undefined
  reason?: string | undefined
}

export type CreatedApiKey = { id: string; key: Secret; expiresAt: Date | undefined }

const dayMs = 24 * 60 * 60 * 1_000

/** The key is shown when it is made, and never again: it is stored as a hash. */
export const createApiKey =
  ({ apiKeys, tenants, now }: { apiKeys: Pick<ApiKeys, 'create'>; tenants: Pick<Tenants, 'find'>; now: Clock }) =>
  async ({ actor, name, tenant, testMode = false, lifetimeDays, reason }: CreateApiKey): Promise<CreatedApiKey> => {
    if (tenant !== undefined) await assertTenant({ tenants }, tenant, testMode)
    const expiresAt = lifetimeDays === undefined ? undefined : new Date(now().getTime() + lifetimeDays * dayMs)
    const inTestMode = testMode || isTestTenant(tenant ?? '')
    const created = await apiKeys.create({ name, tenant, testMode: inTestMode, expiresAt }, actor, reason)
    return { ...created, expiresAt }
  }

async function assertTenant({ tenants }: { tenants: Pick<Tenants, 'find'> }, id: string, testMode: boolean) {
  if (testMode && !isTestTenant(id)) {
    const detail = `${id} is not a tenant of test mode.`
    throw new Failure('input_invalid', detail, { errors: [{ pointer: '/tenant', detail }] })
  }
  const tenant = await tenants.find(id)
  if (!tenant) throw new Failure('not_found', `There is no tenant ${id}.`)
  assertKept(tenant)
}

export type RevokeApiKey = { actor: Actor; id: string; reason?: string | undefined }

/** It stops working within seconds. One that was revoked before stays so. */
export const revokeApiKey =
  ({ apiKeys }: { apiKeys: Pick<ApiKeys, 'revoke' | 'find'> }) =>
  async ({ actor, id, reason }: RevokeApiKey): Promise<void> => {
    if (await apiKeys.revoke(id, actor, reason)) return
    await readApiKey({ apiKeys })(id)
  }

export const readApiKey =
  ({ apiKeys }: { apiKeys: Pick<ApiKeys, 'find'> }) =>
  async (id: string): Promise<ApiKey> => {
    const key = await apiKeys.find(id)
    if (!key) throw missing('API key')
    return key
  }

export const listApiKeys =
  ({ apiKeys }: { apiKeys: Pick<ApiKeys, 'list'> }) =>
  (query: ApiKeyQuery): Promise<Page<ApiKey>> =>
    apiKeys.list(query)
