import type pg from 'pg'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import type { Tokens } from '../domain/ports/shared.ts'
import type { TenantPorts } from '../domain/ports/tenants.ts'
import { postgresApiKeys } from './adapters/api-keys.ts'
import { logoPictures } from './adapters/logo-pictures.ts'
import { rememberedTenants } from './adapters/remembered-tenants.ts'
import { postgresTenants } from './adapters/tenants.ts'

type Parts = { pool: pg.Pool; seal: SealedBox; tokens: Tokens }

export const openTenants = ({ pool, seal, tokens }: Parts): TenantPorts => ({
  tenants: rememberedTenants(postgresTenants(pool, seal, tokens)),
  apiKeys: postgresApiKeys(pool, tokens),
  logoPictures: logoPictures(),
})
