import type { Migration } from '../../../../kit/database/migrations.ts'

// What became of the last task stays on the page of its connection. The index there was knows open ones alone.
export const lastTask: Migration = {
  name: '0018-last-task',
  sql: `
    create index connection_tasks_by_connection on connection_tasks (connection_id, id);
  `,
}
