// Commands for API keys and for the keys that seal the ledger.
import { StartError } from '../../kit/process/start-error.ts'
import type { World } from '../compose.ts'
import type { Actor } from '../domain/audit/audit.ts'
import { rotateEncryption } from '../flows/rotate-encryption.ts'
import { createApiKey } from '../tenants/flows/manage-api-keys.ts'

export type KeyOptions = {
  id?: string | undefined
  name?: string | undefined
  tenant?: string | undefined
  test?: boolean | undefined
  'expires-in-days'?: string | undefined
}

const operator: Actor = { kind: 'operator' }

const othersLeft = [
  'some values are still sealed by another key than the first of ENCRYPTION_KEYS:',
  'start every process with that list, with the keys that sealed them in it, and run this again',
]

/** Each says "usage" where an argument is missing. */
export const keyCommands: Record<string, (world: World, given: KeyOptions) => Promise<'usage' | undefined>> = {
  async create(world, { name, tenant, test, ...given }) {
    if (!name) return 'usage'
    const lifetimeDays = lifetimeOf(given['expires-in-days'])
    const created = await createApiKey(world)({ actor: operator, name, tenant, testMode: test, lifetimeDays })
    // The only time the key is shown; it is stored as a hash.
    return print({ id: created.id, key: created.key.reveal(), expiresAt: created.expiresAt })
  },
  async list({ apiKeys }) {
    for (let cursor: string | undefined; ; ) {
      const { data, nextCursor } = await apiKeys.list({ cursor, limit: 500 })
      for (const key of data) print(key)
      if (nextCursor === undefined) return undefined
      cursor = nextCursor
    }
  },
  async revoke({ apiKeys }, { id }) {
    if (!id) return 'usage'
    if (!(await apiKeys.revoke(id, operator))) throw new StartError(`there is no working key ${id}`)
    return print({ id, revoked: true })
  },
  async 'rotate-encryption'(world) {
    const columns = await rotateEncryption(world)(operator)
    for (const column of columns) print(column)
    if (columns.some(({ others }) => others > 0)) throw new StartError(othersLeft)
    return undefined
  },
}

function lifetimeOf(days: string | undefined): number | undefined {
  if (days === undefined) return undefined
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new StartError('--expires-in-days must be a whole number from 1 to 9999')
  return Number(days)
}

function print(value: object): undefined {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
