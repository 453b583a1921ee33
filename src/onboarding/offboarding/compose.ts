import type pg from 'pg'
import type { OffboardingPorts } from '../domain/ports/offboarding.ts'
import { postgresErasures } from './adapters/erasures.ts'
import { postgresTenantDeletions } from './adapters/tenant-deletions.ts'

export const openOffboarding = ({ pool }: { pool: pg.Pool }): OffboardingPorts => ({
  deletions: postgresTenantDeletions(pool),
  erasures: postgresErasures(pool),
})
