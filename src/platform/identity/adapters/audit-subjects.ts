import { sql } from '../../../kit/database/sql.ts'

/** What entries of the audit are about; `c` is the row that changed. */
export const aboutKey = {
  workspace: sql`(select s.workspace from service_accounts s where s.client_id = c.service_account_id)`,
  kind: sql`'apikey'`,
  name: sql`c.name`,
  id: sql`c.id`,
}

export const aboutServiceAccount = {
  workspace: sql`c.workspace`,
  kind: sql`'serviceaccount'`,
  name: sql`c.name`,
  id: sql`c.client_id`,
}
