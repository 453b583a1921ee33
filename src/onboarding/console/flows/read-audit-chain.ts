import { type ChainName, deploymentChain, type Tail } from '../../domain/audit/audit-chain.ts'
import { type ChainRecord, recordsOf } from '../../domain/audit/audit-records.ts'
import { lowestId } from '../../domain/audit/verify-chain.ts'
import { missing } from '../../domain/failure.ts'
import type { ReadBlocks } from '../../domain/ports/audit-chain.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import { type Caller, missingTenant } from '../../domain/tenant.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'

type OfChain = { caller: Caller; tenant: string | undefined }

export async function readAuditHead(ports: Ports, about: OfChain): Promise<Tail> {
  const head = await ports.auditChains.tail(await chainFor(ports, about))
  if (!head) throw missing('audit head yet: nothing was sealed')
  return head
}

type RecordQuery = OfChain & { cursor?: string | undefined; limit: number }

/** In order of the chain. A cursor stays valid, so a reader that stops goes on where it was. */
export async function listAuditRecords(
  ports: Ports,
  { cursor, limit, ...about }: RecordQuery,
): Promise<Page<ChainRecord>> {
  const chain = await chainFor(ports, about)
  const [position = 0, id = lowestId] = cursor?.split('.').map(Number) ?? []
  const read = await ports.auditChains.read(chain, { position, id }, limit)
  const records = recordsOf(read, { showsHidden: about.caller.tenant === undefined })
  const data = records.filter((record) => record.position > position).slice(0, limit)
  const last = data.at(-1)
  return { data, nextCursor: last && `${last.position}.${Math.max(0, lastId(read, last.position) ?? id)}` }
}

function lastId({ blocks }: ReadBlocks, position: number): number | undefined {
  const upTo = blocks.flatMap(({ first, ids }) => ids.filter((_, at) => first + at <= position))
  return upTo.at(-1)
}

async function chainFor(ports: Ports, { caller, tenant: asked }: OfChain): Promise<ChainName> {
  const tenant = asked ?? caller.tenant
  if (tenant !== undefined) return (await readTenant(ports, { caller, id: tenant })).id
  if (caller.testMode) throw missingTenant(caller, deploymentChain)
  return deploymentChain
}
