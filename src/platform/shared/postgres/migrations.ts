import { tenancy } from './migrations/0001-tenancy.ts'
import { resources } from './migrations/0002-resources.ts'

/** In the order in which they are applied. */
export const migrations = [tenancy, resources] as const
