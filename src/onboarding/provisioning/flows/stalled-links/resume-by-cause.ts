import type { Actor } from '../../../domain/audit/audit.ts'
import { aboutLink } from '../../../domain/audit/audit-entry.ts'
import type { Cause } from '../../../domain/cause.ts'
import { Failure, missing } from '../../../domain/failure.ts'
import type { Link } from '../../../domain/link.ts'
import { type Caller, maySee, sightOn } from '../../../domain/tenant.ts'
import { assertDeploymentKey } from '../../../tenants/flows/manage-tenants.ts'
import type { ProvisionNeeds } from '../provision-link.ts'
import { isStopped, takeUp } from './resume-link.ts'

export type ResumeByCause = {
  caller: Caller
  actor: Actor
  cause: Cause
  tenant?: string | undefined
  integration?: string | undefined
  reason?: string | undefined
}

/** `skipped`: somebody else was faster, or the connection was linked again since. */
export type ResumedByCause = { resumed: number; skipped: number; hasMore: boolean }

/** So that one request ends within seconds. For more, the caller sends another. */
const most = 500
const pageSize = 100

/** Once what stopped many links is mended: each goes on from where it stopped, at the pace of the workers. */
export const resumeByCause =
  (needs: ProvisionNeeds) =>
  async ({ caller, actor, cause, tenant, integration, reason }: ResumeByCause): Promise<ResumedByCause> => {
    assertDeploymentKey(caller)
    if (tenant !== undefined && !maySee(caller, tenant)) throw missing('tenant', tenant)
    const done = { resumed: 0, skipped: 0 }
    for (let cursor: string | undefined; ; ) {
      const wanted = { ...sightOn(caller, tenant), integration, status: 'needs_attention' as const, cause }
      const query = { ...wanted, cursor, limit: pageSize }
      const { data, nextCursor } = await needs.links.list(query)
      for (const link of data) done[await resumeOne(needs, link, { actor, reason })] += 1
      if (!nextCursor || done.resumed + done.skipped >= most) return { ...done, hasMore: nextCursor !== undefined }
      cursor = nextCursor
    }
  }

async function resumeOne(
  needs: ProvisionNeeds,
  link: Link,
  { actor, reason }: Pick<ResumeByCause, 'actor' | 'reason'>,
): Promise<'resumed' | 'skipped'> {
  if (!isStopped(link)) return 'skipped'
  try {
    await takeUp(needs, link, { action: 'link.resumed', actor, ...aboutLink(link), reason }, { dueInSeconds: 0 })
    return 'resumed'
  } catch (error) {
    if (error instanceof Failure && error.code === 'link_not_resumable') return 'skipped'
    throw error
  }
}
