import type { Actor } from '../../domain/audit/audit.ts'
import {
  type Import,
  type ImportCounts,
  type ImportRow,
  type ImportStatus,
  importStatus,
} from '../../domain/imports/import.ts'
import type { RowQuery } from '../../domain/ports/imports.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { IdempotencyClaim, Page } from '../../domain/ports/shared.ts'
import { assertActive, type Caller, maySee, missingTenant, ownThing, sightOn } from '../../domain/tenant.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'

export type ImportProgress = { import: Import; counts: ImportCounts; status: ImportStatus }

type CreateImport = {
  caller: Caller
  actor: Actor
  tenant: string
  name?: string | undefined
  claim?: IdempotencyClaim | undefined
}

export async function createImport(
  ports: Ports,
  { caller, actor, tenant: tenantId, name, claim }: CreateImport,
): Promise<ImportProgress> {
  assertActive(await readTenant(ports, { caller, id: tenantId }))
  const id = ports.tokens.id('imp', claim?.seed)
  const made = claim?.isRetry ? await ports.imports.find(id) : undefined
  if (made) return progressOf(ports, made)
  const audit = { action: 'import.created' as const, actor, ...aboutImport({ id, tenant: tenantId }) }
  return progressOf(ports, await ports.imports.create({ id, tenant: tenantId, name }, audit))
}

type OneImport = { caller: Caller; id: string }

export const ownImport = async ({ imports }: Ports, { caller, id }: OneImport): Promise<Import> =>
  ownThing(await imports.find(id), caller, 'import')

export const readImport = async (ports: Ports, asked: OneImport): Promise<ImportProgress> =>
  progressOf(ports, await ownImport(ports, asked))

type ListImports = { caller: Caller; tenant: string | undefined; cursor: string | undefined; limit: number }

/** Without counts, because counting the rows of many imports is slow. */
export async function listImports(
  { imports }: Ports,
  { caller, tenant, cursor, limit }: ListImports,
): Promise<Page<Import>> {
  if (tenant !== undefined && !maySee(caller, tenant)) throw missingTenant(caller, tenant)
  return imports.list({ ...sightOn(caller, tenant), cursor, limit })
}

export const listImportRows = async (
  ports: Ports,
  { caller, id, ...query }: OneImport & RowQuery,
): Promise<Page<ImportRow>> => ports.imports.rows((await ownImport(ports, { caller, id })).id, query)

export async function cancelImport(
  ports: Ports,
  { caller, actor, id }: OneImport & { actor: Actor },
): Promise<ImportProgress> {
  const found = await ownImport(ports, { caller, id })
  await ports.imports.cancel(id, { action: 'import.cancelled', actor, ...aboutImport(found) })
  return progressOf(ports, (await ports.imports.find(id)) ?? found)
}

export const aboutImport = ({ id, tenant }: Pick<Import, 'id' | 'tenant'>) => ({
  subject: { kind: 'import' as const, id },
  tenant,
})

async function progressOf({ imports }: Ports, found: Import): Promise<ImportProgress> {
  const counts = await imports.counts(found.id)
  return { import: found, counts, status: importStatus(found, counts) }
}
