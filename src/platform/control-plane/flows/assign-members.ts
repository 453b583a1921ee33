import { Failure } from '../../shared/domain/failure.ts'
import type { Kind } from '../domain/kind.ts'
import { AddressTaken, type EgressAddresses, type Resources } from '../domain/ports.ts'
import type { Document, Json } from '../domain/resource.ts'
import type { Assign, CreateResource } from './create-resource.ts'
import type { LateMembers } from './settle-deployment.ts'

type New = { kind: Kind; workspace: string; id: string; spec: Document }
type AssignOne = (resource: New) => Promise<Json | undefined>

type Needs = { resources: Pick<Resources, 'find'>; addresses: EgressAddresses; attempt: number }

/** One entry for each member that some kind has assigned. */
export const assignMembers = ({ resources, addresses, attempt }: Needs): Assign => {
  const assigners: Record<string, AssignOne> = {
    infrastructureId: async ({ kind, id }) => `${kind.name}-${id}`,
    publicIp: async ({ spec }) =>
      nextAddress(addresses, spec.ipFamily === 'IPv6' ? 'IPv6' : 'IPv4', Math.min(4 ** attempt, 64)),
    size: async ({ workspace, spec }) => spec.size ?? defaultSize(resources, workspace, spec.template),
  }
  return async (kind, workspace, id, spec) => {
    const members = (kind.assigned ?? []).map(async (member) => {
      const value = await assigners[member]?.({ kind, workspace, id, spec })
      return value === undefined ? [] : [[member, value]]
    })
    return Object.fromEntries((await Promise.all(members)).flat())
  }
}

/** A volume whose template was missing when it was created has no size yet. */
export const lateMembers =
  ({ resources }: Pick<Needs, 'resources'>): LateMembers =>
  async ({ workspace, kind, spec }): Promise<Document> => {
    if (kind !== 'volume' || spec.size !== undefined) return {}
    const size = await defaultSize(resources, workspace, spec.template)
    return size === undefined ? {} : { size }
  }

async function defaultSize(resources: Needs['resources'], workspace: string, template: Json | undefined) {
  if (typeof template !== 'string') return undefined
  const found = await resources.find({ workspace, kind: 'volumetemplate', parent: '', name: template })
  return found?.spec.defaultSize
}

async function nextAddress(addresses: EgressAddresses, family: 'IPv4' | 'IPv6', among: number): Promise<string> {
  const address = await addresses.nextFree(family, among)
  if (!address) throw new Failure('resource_in_use', `Every ${family} address of this platform is in use.`)
  return address
}

/**
 * Two creates may pick the same free address: the database lets one in, the other picks again, and among more of them
 * each time. A crowd that went on picking the very lowest would let in one at a time.
 */
export const retryTakenAddress =
  (createAt: (attempt: number) => CreateResource): CreateResource =>
  async (...request) => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await createAt(attempt)(...request)
      } catch (error) {
        if (!(error instanceof AddressTaken)) throw error
        if (attempt === 50) throw new Failure('store_unavailable', 'Please try again in a moment.', { cause: error })
      }
    }
  }
