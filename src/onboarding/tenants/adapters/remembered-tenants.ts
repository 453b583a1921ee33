import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'

// A change made by another process is seen after this time; one made by this process is seen at once.
const memory = { ttlMs: 5_000, capacity: 10_000 }

// By digest, so it is never outdated; a deleted one goes within this time. At most 24 kB each.
const pictureMemory = { ttlMs: 60_000, capacity: 500 }

/** A link reads its tenant five times, which hardly ever changes; a short cache saves five round trips. */
export function rememberedTenants(tenants: Tenants): Tenants {
  const found = ttlCache(tenants.find, memory)
  const secrets = ttlCache(tenants.signingSecret, memory)
  const clients = ttlCache((key) => tenants.ownClient(...(JSON.parse(key) as [string, string])), memory)
  const pictures = ttlCache(tenants.logoPng, pictureMemory)
  const clientKey = (tenant: string, integration: string) => JSON.stringify([tenant, integration])
  return {
    ...tenants,
    // A tenant that was missing a moment ago may just have been made elsewhere.
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
