import type pg from 'pg'
import type { ImportPorts } from '../domain/ports/imports.ts'
import { postgresImports } from './adapters/imports.ts'

export const openImports = ({ pool }: { pool: pg.Pool }): ImportPorts => ({ imports: postgresImports(pool) })
