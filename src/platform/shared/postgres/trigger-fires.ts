import { type Sql, sql } from '../../../kit/database/sql.ts'

/** Only the latest fire is checked. A day covers processes with different clocks. */
export const forgetFires = (resourceId: string, trigger: number, firedFor: Date): Sql => sql`
  delete from trigger_fires where resource_id = ${resourceId} and trigger = ${trigger}::int
    and fired_for < ${firedFor}::timestamptz - interval '1 day'`
