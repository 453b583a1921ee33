import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import type { MemoryWorld } from '../../../support/memory/world.ts'

/** A connection whose grant was found to be revoked. */
export async function addBroken(
  world: MemoryWorld,
  session: Parameters<MemoryWorld['addSession']>[0] = {},
): Promise<Connection> {
  const connection = await world.addConnection(session)
  await world.healthChecks.record({
    connection,
    finding: { outcome: 'broken', cause: 'grant_revoked' },
    durationMs: 1,
    nextInSeconds: 600,
    actorKind: 'worker',
    news: auditEntry('connection.needs_relink'),
    asked: undefined,
    event: { id: world.tokens.id('evt'), name: 'connection.needs_relink', payload: {} },
  })
  return world.found(connection.id)
}
