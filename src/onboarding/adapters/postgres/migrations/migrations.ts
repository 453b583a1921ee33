import type { Migration } from '../../../../kit/database/migrations.ts'
import { ledger } from './0001-ledger.ts'

export const migrations: readonly Migration[] = [ledger]
