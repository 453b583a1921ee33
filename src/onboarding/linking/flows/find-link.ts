import { Failure } from '../../domain/failure.ts'
import type { Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'

/** After a failover, Redis can refer to a link that the ledger lost. The user must start again. */
export async function findLink({ links }: Pick<Ports, 'links'>, id: string): Promise<Link> {
  const link = await links.find(id)
  if (!link) throw new Failure('callback_unknown', 'An outage interrupted this attempt. Please start again.')
  return link
}
