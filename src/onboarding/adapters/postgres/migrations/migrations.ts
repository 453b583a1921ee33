import { type Migration, migration } from '../../../../kit/database/migrations.ts'
import { audit } from './0001-schema/audit.ts'
import { connections } from './0001-schema/connections.ts'
import { erasures } from './0001-schema/erasures.ts'
import { imports } from './0001-schema/imports.ts'
import { links } from './0001-schema/links.ts'
import { tenants } from './0001-schema/tenants.ts'
import { webhooks } from './0001-schema/webhooks.ts'

/** In order. Never edit a landed migration; `npm run migrations:lock` locks a new one. */
export const migrations: readonly Migration[] = [
  migration('0001-schema', '0.3.0', tenants, connections, links, imports, webhooks, erasures, audit),
]
