import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'

// Other processes see a change after this TTL, this process immediately.
const memory = { ttlMs: 5_000, capacity: 10_000 }

// Keyed by digest, so entries never go stale; a deleted picture is served until the TTL ends. At most 24 kB each.
const pictureMemory = { ttlMs: 60_000, capacity: 500 }

/** A link reads its tenant five times. */
export function rememberedTenants(tenants: Tenants): Tenants {
  const found = ttlCache(tenants.find, memory)
  const secrets = ttlCache(tenants.signingSecret, memory)
  const clients = ttlCache((key) => tenants.ownClient(...(JSON.parse(key) as [string, string])), memory)
  const pictures = ttlCache(tenants.logoPng, pictureMemory)
  const clientKey = (tenant: string, integration: string) => JSON.stringify([tenant, integration])
  return {
    ...tenants,
    // Another process may have just created a missing tenant.
    find: async (id) => (await found.get(id)) ?? found.refresh(id),
    refresh(id) {
      secrets.forget(id)
      return found.refresh(id)
    },
    signingSecret: (id) => secrets.get(id),
    ownClient: (tenant, integration) => clients.get(clientKey(tenant, integration)),
    async rotateSigningSecret(id, ...rest) {
      const activeFrom = await tenants.rotateSigningSecret(id, ...rest)
      secrets.forget(id)
      found.forget(id)
      return activeFrom
    },
    async create(tenant, ...rest) {
      const created = await tenants.create(tenant, ...rest)
      found.forget(tenant.id)
      return created
    },
    async update(id, ...rest) {
      const updated = await tenants.update(id, ...rest)
      found.forget(id)
      return updated
    },
    async changeStatus(id, ...rest) {
      const changed = await tenants.changeStatus(id, ...rest)
      found.forget(id)
      return changed
    },
    logoPng: (digest) => pictures.get(digest),
    async putLogo(id, scheme, picture, audit) {
      const changed = await tenants.putLogo(id, scheme, picture, audit)
      found.forget(id)
      pictures.forget(picture.digest)
      return changed
    },
    async deleteLogo(id, ...rest) {
      const changed = await tenants.deleteLogo(id, ...rest)
      found.forget(id)
      pictures.clear()
      return changed
    },
    async put(tenant, ...rest) {
      const put = await tenants.put(tenant, ...rest)
      found.forget(tenant.id)
      return put
    },
    async putOwnClient(tenant, integration, ...rest) {
      await tenants.putOwnClient(tenant, integration, ...rest)
      clients.forget(clientKey(tenant, integration))
    },
    async deleteOwnClient(tenant, integration, ...rest) {
      const deleted = await tenants.deleteOwnClient(tenant, integration, ...rest)
      clients.forget(clientKey(tenant, integration))
      return deleted
    },
  }
}
