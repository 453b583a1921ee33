import { sharedLoad } from '../../../kit/cache/shared-load.ts'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { ResourceChanges } from '../domain/ports.ts'

type Open<T> = (workspace: string, name: string) => Promise<T>

/** Another process sees a change within a second, this one at once. Missing workloads are not cached. */
export function withTtlCache<T>(open: Open<T>, changes: ResourceChanges): Open<T> {
  const load = (key: string) => open(...(JSON.parse(key) as [string, string]))
  const known = ttlCache(load, { ttlMs: 1_000, capacity: 10_000 })
  const kinds = new Set(['agent', 'function', 'model', 'integrationconnection', 'policy'])
  changes.listen(({ kind }) => kinds.has(kind) && known.clear())
  return (workspace, name) => known.get(JSON.stringify([workspace, name]))
}

export function withSharedLoad<Of extends string[], T>(open: (...of: Of) => Promise<T>): (...of: Of) => Promise<T> {
  const load = sharedLoad((key) => open(...(JSON.parse(key) as Of)))
  return (...of) => load(JSON.stringify(of))
}
