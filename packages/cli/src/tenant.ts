import type { Causeway } from '@causeway/client'
import { CommandError } from './errors.ts'

/** Defaults to the only tenant that the key can read. */
export async function tenantOf(client: Causeway, named: string | undefined): Promise<string> {
  if (named !== undefined) return named
  const { data } = await client.send('listTenants', { query: { limit: 2 } })
  const [only, another] = data
  if (only && !another) return only.id
  throw new CommandError(
    only
      ? 'Your key can read several tenants: choose one with --tenant ID.'
      : 'There are no tenants yet: create one first (PUT /api/v1/tenants/{tenantId}).',
  )
}
