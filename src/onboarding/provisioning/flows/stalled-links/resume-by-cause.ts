import type { Actor } from '../../../domain/audit/audit.ts'
import { aboutLink } from '../../../domain/audit/audit-entry.ts'
import type { Cause } from '../../../domain/cause.ts'
import { Failure } from '../../../domain/failure.ts'
import type { Link } from '../../../domain/link.ts'
import type { Ports } from '../../../domain/ports/ports.ts'
import { type Caller, maySee, missingTenant, sightOn } from '../../../domain/tenant.ts'
import { assertDeploymentKey } from '../../../tenants/flows/manage-tenants.ts'
import { isStopped, takeUp } from './resume-link.ts'

type ResumeByCause = {
  caller: Caller
  actor: Actor
  cause: Cause
  tenant?: string | undefined
  integration?: string | undefined
  reason?: string | undefined
}

/** `skipped`: another worker was faster, or the connection was re-linked since. */
type ResumedByCause = { resumed: number; skipped: number; hasMore: boolean }

/** Keeps a request within seconds. The caller sends another request for more links. */
const maxLinks = 500
const pageSize = 100

export async function resumeByCause(
  ports: Ports,
  { caller, actor, cause, tenant, integration, reason }: ResumeByCause,
): Promise<ResumedByCause> {
  assertDeploymentKey(caller)
  if (tenant !== undefined && !maySee(caller, tenant)) throw missingTenant(caller, tenant)
  const done = { resumed: 0, skipped: 0 }
  for (let cursor: string | undefined; ; ) {
    const wanted = { ...sightOn(caller, tenant), integration, status: 'needs_attention' as const, cause }
    const query = { ...wanted, cursor, limit: pageSize }
    const { data, nextCursor } = await ports.links.list(query)
    for (const link of data) done[await resumeOne(ports, link, { actor, reason })] += 1
    if (!nextCursor || done.resumed + done.skipped >= maxLinks) return { ...done, hasMore: nextCursor !== undefined }
    cursor = nextCursor
  }
}

async function resumeOne(
  ports: Ports,
  link: Link,
  { actor, reason }: Pick<ResumeByCause, 'actor' | 'reason'>,
): Promise<'resumed' | 'skipped'> {
  if (!isStopped(link)) return 'skipped'
  try {
    await takeUp(ports, link, { action: 'link.resumed', actor, ...aboutLink(link), reason }, { dueInSeconds: 0 })
    return 'resumed'
  } catch (error) {
    if (error instanceof Failure && error.code === 'link_not_resumable') return 'skipped'
    throw error
  }
}
