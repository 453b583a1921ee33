import type { Causeway } from '@causeway/client'
import { CommandError } from './errors.ts'

/** The one that was named, or the only one that the key sees. */
export async function tenantOf(client: Causeway, named: string | undefined): Promise<string> {
  if (named !== undefined) return named
  const { data } = await client.send('listTenants', { query: { limit: 2 } })
  const [only, another] = data
  if (only && !another) return only.id
  throw new CommandError(
    only
      ? 'Your key sees several tenants: name one with --tenant ID.'
      : 'There is no tenant yet: create one first (PUT /api/v1/tenants/{tenantId}).',
  )
}
