import { Failure } from '../../shared/domain/failure.ts'
import type { Kind } from '../domain/kind.ts'
import { AddressTaken, type EgressAddresses } from '../domain/ports.ts'
import type { Document } from '../domain/resource.ts'
import type { Assign, CreateResource } from './create-resource.ts'

type AssignOne = (kind: Kind, id: string, spec: Document) => Promise<string>

/** One entry for each member that some kind has assigned. */
export const assignMembers = ({ addresses }: { addresses: EgressAddresses }): Assign => {
  const assigners: Record<string, AssignOne> = {
    infrastructureId: async (kind, id) => `${kind.name}-${id}`,
    publicIp: async (_kind, _id, { ipFamily }) => nextAddress(addresses, ipFamily === 'IPv6' ? 'IPv6' : 'IPv4'),
  }
  return async (kind, id, spec) => {
    const members = (kind.assigned ?? []).map(async (member) => [member, await assigners[member]?.(kind, id, spec)])
    return Object.fromEntries(await Promise.all(members))
  }
}

async function nextAddress(addresses: EgressAddresses, family: 'IPv4' | 'IPv6'): Promise<string> {
  const address = await addresses.nextFree(family)
  if (!address) throw new Failure('resource_in_use', `Every ${family} address of this platform is in use.`)
  return address
}

/** Two creates may pick the same free address: the database lets one in, the other picks again. */
export const pickingAgain =
  (create: CreateResource): CreateResource =>
  async (...request) => {
    for (let attemptsLeft = 50; ; attemptsLeft--) {
      try {
        return await create(...request)
      } catch (error) {
        if (!(error instanceof AddressTaken) || attemptsLeft === 0) throw error
      }
    }
  }
