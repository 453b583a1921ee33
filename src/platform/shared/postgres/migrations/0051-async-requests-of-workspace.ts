import type { Migration } from '../../../../kit/database/migrations.ts'

/** A workspace has a share of the places and so many requests at most: both are counted by workspace. */
export const asyncRequestsOfWorkspace: Migration = {
  name: '0051-async-requests-of-workspace',
  sql: 'create index async_requests_of_workspace on async_requests (workspace, due_at);',
}
