import type pg from 'pg'
import { z } from 'zod'
import type { OpaqueCursors } from '../../../kit/crypto/opaque-cursor.ts'
import { execute, row, rows, sql } from '../../../kit/database/sql.ts'
import type { WaitingInput } from '../domain/clients/inputs.ts'
import type { CallStates, Elicitations, WaitingCall } from '../domain/repair.ts'
import { postgresAwaitedInputs, postgresDonePages } from './vendor-mcp/awaited-inputs.ts'

export const openWaitingCalls = (pool: pg.Pool, seals: OpaqueCursors) => ({
  elicitations: postgresElicitations(pool),
  callStates: callStates<WaitingCall>(pool, seals, now),
  inputStates: callStates<WaitingInput>(pool, seals, now),
  awaitedInputs: postgresAwaitedInputs(pool, seals, now),
  donePages: postgresDonePages(pool),
})

const now = () => new Date()

const Complete = z.object({ id: z.string(), session: z.string() })
const Added = z.object({ id: z.string() })

const postgresElicitations = (pool: pg.Pool): Elicitations => ({
  async add({ id, session, gap: { connection } }) {
    const added = await row(
      pool,
      Added,
      sql`insert into mcp_elicitations (id, session, connection_id, version)
        values (${id}, ${session}, ${connection.id}, ${connection.version})
        on conflict (session, connection_id, version) do update set session = excluded.session
        returning id`,
    )
    return (added as { id: string }).id
  },

  takeComplete: (sessions) =>
    rows(
      pool,
      Complete,
      sql`delete from mcp_elicitations e using resources c
        where c.id = e.connection_id and c.version <> e.version and e.session = any(${[...sessions]}::text[])
        returning e.id, e.session`,
    ),
})

const keptDays = 1

export function callStates<Waiting>(
  pool: pg.Pool,
  seals: OpaqueCursors,
  now: () => Date,
): CallStates<Waiting> & { sweep(): Promise<number> } {
  return {
    seal: (waiting, call) => seals.seal(waiting, `call|${call}`, now()),
    // Sealed by us, so its form is known.
    open: (state, call) => seals.open(state, `call|${call}`, now()) as Waiting | undefined,
    claim: async (id) =>
      (await execute(pool, sql`insert into claimed_states (id) values (${id}) on conflict do nothing`)) === 1,
    sweep: () =>
      execute(pool, sql`delete from claimed_states where claimed_at < now() - ${keptDays}::integer * interval '1 day'`),
  }
}
