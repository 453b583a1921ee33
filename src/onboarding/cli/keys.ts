import { StartError } from '../../kit/process/start-error.ts'
import type { World } from '../compose.ts'
import { keyPurposes } from '../domain/api-key.ts'
import type { Actor } from '../domain/audit/audit.ts'
import { pagesOf } from '../flows/pages-of.ts'
import { rotateEncryption } from '../flows/rotate-encryption.ts'
import { createApiKey } from '../tenants/flows/manage-api-keys.ts'

export type KeyOptions = {
  id?: string | undefined
  name?: string | undefined
  tenant?: string | undefined
  test?: boolean | undefined
  for?: string | undefined
  'expires-in-days'?: string | undefined
}

export const operator: Actor = { kind: 'operator' }
export const caller = { keyId: 'operator', tenant: undefined }

const othersLeft = [
  'some values are still encrypted with another key than the first of ENCRYPTION_KEYS:',
  'start all processes with that list, including the old keys, and run this command again',
]

export type Print = (value: object) => void

/** "usage" if an argument is missing. */
type KeyOutcome = 'usage' | undefined

export const keyCommands: Record<string, (world: World, given: KeyOptions, print: Print) => Promise<KeyOutcome>> = {
  async create(world, { name, tenant, test, ...given }, print) {
    if (!name) return 'usage'
    const lifetimeDays = lifetimeOf(given['expires-in-days'])
    const purpose = keyPurposes.find((each) => each === given.for)
    if (purpose !== given.for || (purpose && (tenant || test))) return 'usage'
    const created = await createApiKey(world, { actor: operator, name, tenant, testMode: test, purpose, lifetimeDays })
    // The key is stored as a hash and can't be shown again.
    print({ id: created.id, key: created.key.reveal(), expiresAt: created.expiresAt })
    return undefined
  },
  async list({ apiKeys }, _none, print) {
    for await (const keys of pagesOf((cursor) => apiKeys.list({ cursor, limit: 500 })))
      for (const key of keys) print(key)
    return undefined
  },
  async revoke({ apiKeys }, { id }, print) {
    if (!id) return 'usage'
    if (!(await apiKeys.revoke(id, operator))) throw new StartError(`no active key has the ID ${id}`)
    print({ id, revoked: true })
    return undefined
  },
  async 'rotate-encryption'(world, _none, print) {
    const columns = await rotateEncryption(world, operator)
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
