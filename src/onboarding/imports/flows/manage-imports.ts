import type { Actor } from '../../domain/audit/audit.ts'
import { missing } from '../../domain/failure.ts'
import {
  type Import,
  type ImportCounts,
  type ImportRow,
  type ImportStatus,
  importStatus,
} from '../../domain/imports/import.ts'
import type { Imports, RowQuery } from '../../domain/ports/imports.ts'
import type { IdempotencyClaim, Page, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { assertActive, type Caller, maySee, ownThing, sightOn } from '../../domain/tenant.ts'

type Needs = { imports: Imports; tenants: Tenants; tokens: Tokens }

/** An import, and how far it has come. */
export type ImportProgress = { import: Import; counts: ImportCounts; status: ImportStatus }

type CreateImport = {
  caller: Caller
  actor: Actor
  tenant: string
  name?: string | undefined
  claim?: IdempotencyClaim | undefined
}

export const createImport =
  (needs: Needs) =>
  async ({ caller, actor, tenant: tenantId, name, claim }: CreateImport): Promise<ImportProgress> => {
    if (!maySee(caller, tenantId)) throw missing('tenant', tenantId)
    const tenant = await needs.tenants.find(tenantId)
    if (!tenant) throw missing('tenant')
    assertActive(tenant)
    const id = needs.tokens.id('imp', claim?.seed)
    const made = claim?.isRetry ? await needs.imports.find(id) : undefined
    if (made) return progressOf(needs, made)
    const audit = { action: 'import.created' as const, actor, ...aboutImport({ id, tenant: tenantId }) }
    return progressOf(needs, await needs.imports.create({ id, tenant: tenantId, name }, audit))
  }

type OneImport = { caller: Caller; id: string }

export const ownImport = async ({ imports }: Pick<Needs, 'imports'>, { caller, id }: OneImport): Promise<Import> =>
  ownThing(await imports.find(id), caller, 'import')

export const readImport =
  (needs: Pick<Needs, 'imports'>) =>
  async (asked: OneImport): Promise<ImportProgress> =>
    progressOf(needs, await ownImport(needs, asked))

type ListImports = { caller: Caller; tenant: string | undefined; cursor: string | undefined; limit: number }

/** Without counts: to count the rows of many imports takes a while. */
export const listImports =
  ({ imports }: Pick<Needs, 'imports'>) =>
  async ({ caller, tenant, cursor, limit }: ListImports): Promise<Page<Import>> => {
    if (tenant !== undefined && !maySee(caller, tenant)) throw missing('tenant', tenant)
    return imports.list({ ...sightOn(caller, tenant), cursor, limit })
  }

export const listImportRows =
  (needs: Pick<Needs, 'imports'>) =>
  async ({ caller, id, ...query }: OneImport & RowQuery): Promise<Page<ImportRow>> =>
    needs.imports.rows((await ownImport(needs, { caller, id })).id, query)

/** Rows that were started go on; asking again changes nothing. */
export const cancelImport =
  (needs: Pick<Needs, 'imports'>) =>
  async ({ caller, actor, id }: OneImport & { actor: Actor }): Promise<ImportProgress> => {
    const found = await ownImport(needs, { caller, id })
    await needs.imports.cancel(id, { action: 'import.cancelled', actor, ...aboutImport(found) })
    return progressOf(needs, (await needs.imports.find(id)) ?? found)
  }

export const aboutImport = ({ id, tenant }: Pick<Import, 'id' | 'tenant'>) => ({
  subject: { kind: 'import' as const, id },
  tenant,
})

async function progressOf({ imports }: Pick<Needs, 'imports'>, found: Import): Promise<ImportProgress> {
  const counts = await imports.counts(found.id)
  return { import: found, counts, status: importStatus(found, counts) }
}
