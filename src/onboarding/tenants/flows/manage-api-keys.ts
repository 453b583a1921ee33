import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import type { ApiKey, KeyPurpose } from '../../domain/api-key.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import type { ApiKeyQuery } from '../../domain/ports/tenants.ts'
import { assertKept } from '../../domain/tenant.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'

type CreateApiKey = {
  actor: Actor
  name: string
  /** Undefined: a deployment key, which may act for all tenants. */
  tenant: string | undefined
  /** Only for deployment keys; a tenant's key has the mode of its tenant. */
  testMode?: boolean | undefined
  purpose?: KeyPurpose | undefined
  /** Undefined: the key never expires. */
  lifetimeDays: number | undefined
  reason?: string | undefined
}

type CreatedApiKey = { id: string; key: Secret; expiresAt: Date | undefined }

const dayMs = 24 * 60 * 60 * 1_000

export async function createApiKey(
  { apiKeys, tenants, now }: Ports,
  { actor, name, tenant, testMode = false, purpose, lifetimeDays, reason }: CreateApiKey,
): Promise<CreatedApiKey> {
  if (tenant !== undefined) await assertTenant({ tenants }, tenant, testMode)
  const expiresAt = lifetimeDays === undefined ? undefined : new Date(now().getTime() + lifetimeDays * dayMs)
  const inTestMode = testMode || isTestTenant(tenant ?? '')
  const created = await apiKeys.create({ name, tenant, testMode: inTestMode, purpose, expiresAt }, actor, reason)
  return { ...created, expiresAt }
}

async function assertTenant({ tenants }: Pick<Ports, 'tenants'>, id: string, testMode: boolean) {
  if (testMode && !isTestTenant(id)) {
    const detail = `${id} is not a test tenant.`
    throw new Failure('input_invalid', detail, { errors: [{ pointer: '/tenant', detail }] })
  }
  const tenant = await tenants.find(id)
  if (!tenant) throw new Failure('not_found', `There is no tenant ${id}.`)
  assertKept(tenant)
}

type RevokeApiKey = { actor: Actor; id: string; reason?: string | undefined }

/** Revoking a revoked key is a no-op. */
export async function revokeApiKey({ apiKeys }: Ports, { actor, id, reason }: RevokeApiKey): Promise<void> {
  if (await apiKeys.revoke(id, actor, reason)) return
  await readApiKey({ apiKeys }, id)
}

export async function readApiKey({ apiKeys }: Pick<Ports, 'apiKeys'>, id: string): Promise<ApiKey> {
  const key = await apiKeys.find(id)
  if (!key) throw missing('API key')
  return key
}

export const listApiKeys = ({ apiKeys }: Ports, query: ApiKeyQuery): Promise<Page<ApiKey>> => apiKeys.list(query)

/** A client that exposes its key does so with every request. */
const anHour = { ttlMs: 60 * 60_000, capacity: 10_000 }

/** Audits a key that was sent where logs keep it. Returns its ID the first time; ignores unknown keys. */
export const noteExposedKey = ({ apiKeys, audit }: Ports) => {
  const exposures = ttlCache(async () => ({ noted: false }), anHour)
  return async (key: Secret, address: string | undefined): Promise<string | undefined> => {
    const caller = await apiKeys.caller(key)
    const exposure = caller && (await exposures.get(caller.keyId))
    if (!caller || !exposure || exposure.noted) return undefined
    exposure.noted = true
    const subject = { kind: 'api_key', id: caller.keyId } as const
    const actor = { kind: 'api_key', id: caller.keyId, address } as const
    await audit.note({ action: 'key.exposed', actor, subject, tenant: caller.tenant, facts: {} })
    return caller.keyId
  }
}
