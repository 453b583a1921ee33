// Stores rows of an import. Calls no third party: a row is validated by its content only.

import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { importedConfig } from '../../domain/catalogue/integration-values.ts'
import { resourceName } from '../../domain/connection.ts'
import {
  type Import,
  type ImportRow,
  importCancelled,
  type RowDraft,
  refreshTokenPattern,
} from '../../domain/imports/import.ts'
import type { RowProblem } from '../../domain/imports/row-problem.ts'
import type { CheckedRow, TakenRow } from '../../domain/ports/imports.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { assertActive, type Caller, type Tenant } from '../../domain/tenant.ts'
import { findClient, type ReadyIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { tenantOf } from '../../tenants/flows/manage-tenants.ts'
import { aboutImport, ownImport } from './manage-imports.ts'

type AddImportRows = {
  caller: Caller
  actor: Actor
  id: string
  rows: readonly RowDraft[]
  dryRun: boolean
}

export async function addImportRows(
  ports: Ports,
  { caller, actor, id, rows, dryRun }: AddImportRows,
): Promise<ImportRow[]> {
  const into = await ownImport(ports, { caller, id })
  if (into.cancelledAt) throw importCancelled()
  const tenant = await tenantOf(ports, into.tenant)
  assertActive(tenant)
  const checked = await checkRows(ports, { tenant, into, rows })
  const first = firstOfEachKey(checked)
  const facts = { rows: first.size }
  const audit = { action: 'import.rows_added' as const, actor, ...aboutImport(into), facts }
  const taken = await ports.imports.addRows(into, markRepeated([...first.values()]), { dryRun, audit })
  const became = new Map(taken.map((each) => [each.row.key, each]))
  return checked.map((row) => reportedRow(takenAs(row, first.get(row.key), became.get(row.key))))
}

function firstOfEachKey(rows: readonly CheckedRow[]): Map<string, CheckedRow> {
  const first = new Map<string, CheckedRow>()
  for (const row of rows) if (!first.has(row.key)) first.set(row.key, row)
  return first
}

async function checkRows(
  ports: Ports,
  { tenant, into, rows }: { tenant: Tenant; into: Import; rows: readonly RowDraft[] },
): Promise<CheckedRow[]> {
  const found = new Map<string, ReadyIntegration | undefined>()
  for (const integration of new Set(rows.map((row) => row.integration))) {
    found.set(integration, await findClient(ports, { tenant: into.tenant, integration }).catch(undefinedIfMissing))
  }
  return rows.map((row) => checkRow(ports, tenant, row, found.get(row.integration)))
}

function checkRow(ports: Ports, tenant: Tenant, row: RowDraft, ready: ReadyIntegration | undefined): CheckedRow {
  const { tokens, seal, provider } = ports
  const { refreshToken, inputs, ...kept } = row
  const linkId = tokens.id('lnk')
  const connectionId = tokens.id('con')
  const { config, isComplete } = ready ? importedConfig(ready.integration, inputs) : { config: {}, isComplete: true }
  const problem = problemOf(row, ready, isComplete)
  const at = { id: linkId, tenant: tenant.id, workspace: tenant.workspace }
  const content = { ...kept, inputs, refreshToken: refreshToken.reveal() }
  return {
    ...kept,
    workspace: tenant.workspace,
    problem,
    config,
    digest: tokens.secretDigest(new Secret(JSON.stringify(content))),
    tokenDigest: tokens.secretDigest(refreshToken),
    fingerprint: tokens.fingerprint(refreshToken),
    linkId,
    connectionId,
    connectionName: resourceName(row.integration, tokens.nameDigest(connectionId)),
    sealed: problem ? undefined : seal.seal(provider.wrapRefreshToken(refreshToken), sealContext.escrow(at)),
  }
}

function problemOf(
  { refreshToken, errors }: RowDraft,
  ready: ReadyIntegration | undefined,
  hasInputs: boolean,
): RowProblem | undefined {
  if (errors) return 'members_invalid'
  if (!ready) return 'integration_unknown'
  if (ready.integration.grant !== 'refresh') return 'grant_unsupported'
  if (!refreshTokenPattern.test(refreshToken.reveal())) return 'token_malformed'
  return hasInputs ? undefined : 'inputs_invalid'
}

function markRepeated(rows: readonly CheckedRow[]): CheckedRow[] {
  const seen = new Set<string>()
  return rows.map((row) => {
    const name = `${row.integration}|${row.tokenDigest}`
    const isRepeated = seen.has(name) && row.problem === undefined
    seen.add(name)
    return isRepeated ? { ...row, problem: 'token_repeated', sealed: undefined } : row
  })
}

/** A different row with the same key is reported as changed, in the same request or across requests. */
function takenAs(row: CheckedRow, first: CheckedRow | undefined, taken: TakenRow | undefined): TakenRow {
  if (!first || !taken) throw new Error('row without its key')
  return row.digest === first.digest ? taken : { ...taken, outcome: 'changed' }
}

const reportedRow = ({ row, outcome }: TakenRow): ImportRow =>
  outcome === 'changed'
    ? { ...row, state: 'invalid', problem: 'key_reused', errors: undefined, linkState: undefined }
    : row
