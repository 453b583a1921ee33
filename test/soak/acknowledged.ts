// What holds although PostgreSQL lost its last commits.
import { ownershipLabel } from '../../src/onboarding/domain/connection.ts'
import { codesSentTwice } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import type { Fleet } from '../support/processes/onboarding-process.ts'

/**
 * `toldLinked`: sessions whose tenants were told `linked`. If the ledger still knows the start of such a link, the link
 * is found on the platform when it expires.
 */
export async function acknowledgedLinksLost(fleet: Fleet, toldLinked: string[]): Promise<string[]> {
  const { sql, platform } = fleet
  await sql.query('update links set due_at = now() where due_at is not null')
  await waitFor(
    'every link has ended',
    async () => (await sql.query('select from links where due_at is not null')).rowCount === 0,
    { withinMs: 120_000 },
  )
  const { rows } = await sql.query(
    'select state, cause, connection_id from links where session_id = any ($1::text[])',
    [toldLinked],
  )
  const owners = new Set([...platform.connections.values()].map(({ metadata }) => metadata.labels?.[ownershipLabel]))
  console.log(
    `told linked: ${toldLinked.length}, of which the ledger lost the start of ${toldLinked.length - rows.length}`,
  )
  return [
    ...codesSentTwice(fleet),
    ...rows
      .filter(({ state, connection_id }) => state !== 'linked' || !owners.has(connection_id))
      .map(({ state, cause }) => `a tenant was told linked, and the link is ${state} (${cause})`),
  ]
}
