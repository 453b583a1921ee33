import type { Kysely } from 'kysely'
import type { LedgerSchema } from '../adapters/postgres/schema.ts'
import type { OffboardingPorts } from '../domain/ports/offboarding.ts'
import { postgresTenantDeletions } from './adapters/tenant-deletions.ts'

export const openOffboarding = ({ db }: { db: Kysely<LedgerSchema> }): OffboardingPorts => ({
  deletions: postgresTenantDeletions(db),
})
