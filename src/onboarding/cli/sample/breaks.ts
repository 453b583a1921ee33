import { integrationOfIncident, sampleAgent, suspendedTenant } from './cast.ts'
import type { SampleConnection } from './connections.ts'
import { daySeconds, later } from './draft.ts'
import { relink, type Story } from './story.ts'

/** What breaks, and what users or support do about it. */
export function breakSome(story: Story): void {
  const { chance, now } = story
  const incidentAt = later(now, -11 * daySeconds)
  for (const connection of story.connections) {
    const latest = (now.getTime() - connection.linkedAt.getTime()) / 1_000 - 2 * daySeconds
    if (latest <= daySeconds) continue
    if (connection.integration === integrationOfIncident && connection.linkedAt < incidentAt) {
      if (chance.happens(0.6))
        connection.broken = { at: later(incidentAt, chance.between(60, 7_200)), cause: 'client_rejected' }
      continue
    }
    const at = later(connection.linkedAt, chance.between(daySeconds, latest))
    if (chance.happens(0.04)) connection.disconnectedAt = at
    else if (chance.happens(0.09)) breakOne(story, connection, at)
  }
}

function breakOne(story: Story, connection: SampleConnection, at: Date): void {
  const { chance, now } = story
  connection.broken = { at, cause: chance.happens(0.8) ? 'grant_revoked' : 'scope_insufficient' }
  const mendedAt = later(at, chance.between(3_600, 3 * daySeconds))
  const isMended = chance.happens(0.5) && mendedAt < now && connection.tenant !== suspendedTenant
  if (isMended) relink(story, connection, { at: mendedAt, actor: sampleAgent, reason: 'Ticket of the user' })
}
