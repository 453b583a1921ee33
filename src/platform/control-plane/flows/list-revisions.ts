import type { RevisionMetadata } from '../../../contract/control-plane/revisions.ts'
import type { Kind } from '../domain/kind.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { ResourceKey } from '../domain/resource.ts'
import { currentRevision, hasRevisions, madeAt, percentOf, previousRevision, trafficOf } from '../domain/revisions.ts'
import { findResource } from './find-resource.ts'

/** Newest first. Empty without an image. */
export async function listRevisions(
  ports: ControlPlanePorts,
  kind: Kind,
  key: ResourceKey,
): Promise<RevisionMetadata[]> {
  const found = await findResource(ports, kind, key)
  if (!hasRevisions(found.kind, found.spec)) return []
  const traffic = trafficOf(found)
  const current = { id: currentRevision(found), status: found.status ?? '', ...madeAt(found) }
  const earlier = await ports.revisions.earlier(found.id)
  return [current, ...earlier.map((each) => ({ ...each, status: 'DEPLOYED' }))].map(
    ({ id, status, createdAt, createdBy }) => ({
      id,
      active: id === traffic.active,
      canary: id === traffic.canary,
      previousActive: id === previousRevision(found),
      status,
      trafficPercent: percentOf(traffic, id),
      createdAt: createdAt.toISOString(),
      createdBy,
    }),
  )
}
