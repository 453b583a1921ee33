import { indexStep, type Migration, migration } from '../../../../kit/database/migrations.ts'
import { audit } from './0001-schema/audit.ts'
import { connections } from './0001-schema/connections.ts'
import { erasures } from './0001-schema/erasures.ts'
import { imports } from './0001-schema/imports.ts'
import { links } from './0001-schema/links.ts'
import { tenants } from './0001-schema/tenants.ts'
import { webhooks } from './0001-schema/webhooks.ts'
import { namesAndScopes } from './0005-names-and-scopes.ts'
import { settings } from './0006-settings.ts'
import { auditChain } from './0007-audit-chain.ts'
import { auditPartitions } from './0008-audit-partitions.ts'
import { fixedSearchPaths } from './0009-fixed-search-paths.ts'
import { consoleViews } from './0010-console-views.ts'
import { timesOfReceipt } from './0011-times-of-receipt.ts'

/** In order. Never edit a landed migration; `npm run migrations:lock` locks a new one. */
export const migrations: readonly Migration[] = [
  migration('0001-schema', '0.3.0', tenants, connections, links, imports, webhooks, erasures, audit),
  indexStep('0002-connections-by-change', 'connections_by_change on connections (status_since, id)'),
  // Like links_by_integration, without open links: each of their moves would write the index again.
  indexStep('0003-links-by-state', 'links_by_state on links (state, id) where due_at is null'),
  indexStep(
    '0004-links-by-end-user',
    `links_by_end_user on links ((lower(end_user ->> 'id') collate "C"), id) where due_at is null`,
  ),
  ...namesAndScopes,
  migration('0006-settings', '0.3.0', settings),
  migration('0007-audit-chain', '0.3.0', auditChain),
  ...auditPartitions,
  migration('0009-fixed-search-paths', '0.3.0', fixedSearchPaths),
  migration('0010-console-views', '0.3.0', consoleViews),
  migration('0011-times-of-receipt', '0.3.0', timesOfReceipt),
]
