import { z } from 'zod'
import type { Member } from '../../shared/domain/caller.ts'
import { cutPage, openCursor } from '../../shared/flows/cursor-pages.ts'
import type { IdentityPorts } from '../domain/ports.ts'

const Position = z.strictObject({ seq: z.int() })

export async function readAudit(
  ports: IdentityPorts,
  { workspace }: Member,
  { limit, cursor }: { limit: number; cursor: string | undefined },
) {
  const query = `audit|${workspace}`
  const before = openCursor(ports, cursor, query, Position)
  const found = await ports.auditTrail.ofWorkspace(workspace, before?.seq, limit + 1)
  return cutPage(ports, found, limit, query, ({ seq }) => ({ seq }))
}
