import type { Cause } from '../../../src/onboarding/domain/cause.ts'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import type { HealthChecks } from '../../../src/onboarding/domain/ports/connections.ts'
import type { Tokens } from '../../../src/onboarding/domain/ports/shared.ts'
import { auditEntry } from './audit-entries.ts'

type Breakable<More> = {
  addConnection(more?: More): Promise<Connection>
  found(id: string): Promise<Connection>
  healthChecks: HealthChecks
  tokens: Pick<Tokens, 'id'>
}

export async function addBroken<More>(ledger: Breakable<More>, more?: More): Promise<Connection> {
  const connection = await ledger.addConnection(more)
  await findBroken(ledger, connection, 'grant_revoked')
  return ledger.found(connection.id)
}

export async function findBroken(
  ledger: Pick<Breakable<unknown>, 'healthChecks' | 'tokens'>,
  connection: Connection,
  cause: Cause,
) {
  await ledger.healthChecks.record({
    connection,
    finding: { outcome: 'broken', cause },
    durationMs: 1,
    nextInSeconds: 600,
    actorKind: 'worker',
    news: auditEntry('connection.needs_relink'),
    asked: undefined,
    event: { id: ledger.tokens.id('evt'), name: 'connection.needs_relink', payload: {} },
  })
}
