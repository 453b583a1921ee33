import type { Migration } from '../../../../kit/database/migrations.ts'

// Every mint asks how many links of its tenant wait for the platform; mostly none, so the index is nearly empty.
export const backlog: Migration = {
  name: '0006-backlog',
  sql: `
    create index links_backlog on links (tenant)
      where state in ('escrowed', 'connection_ready', 'function_ready');
  `,
}
