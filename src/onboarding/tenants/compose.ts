import type { Kysely } from 'kysely'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import type { LedgerSchema } from '../adapters/postgres/schema.ts'
import type { Tokens } from '../domain/ports/shared.ts'
import type { TenantPorts } from '../domain/ports/tenants.ts'
import { postgresApiKeys } from './adapters/api-keys.ts'
import { rememberedTenants } from './adapters/remembered-tenants.ts'
import { postgresTenants } from './adapters/tenants.ts'

type Parts = { db: Kysely<LedgerSchema>; seal: SealedBox; tokens: Tokens }

export const openTenants = ({ db, seal, tokens }: Parts): TenantPorts => ({
  tenants: rememberedTenants(postgresTenants(db, seal, tokens)),
  apiKeys: postgresApiKeys(db, tokens),
})
