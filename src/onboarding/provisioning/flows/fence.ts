// A worker that was away for too long has lost its link to another one, and must not call anybody outside any more.
import type { Link } from '../../domain/link.ts'
import type { ProvisionNeeds } from './decision.ts'

/** Another worker has the link now; what the ledger says of it is right. */
export class LostLink extends Error {}

/** The same needs, where every call outside asks first whether the link is still this worker's. */
export function fenced(needs: ProvisionNeeds, link: Link): ProvisionNeeds {
  const ask = async () => {
    if (!(await needs.links.keepLease(link))) throw new LostLink()
  }
  const { refresh, revoke } = needs.provider
  return {
    ...needs,
    platform: asking(needs.platform, ask),
    provider: { ...needs.provider, ...asking({ refresh, revoke }, ask) },
  }
}

const asking = <C extends Record<string, (...args: never[]) => Promise<unknown>>>(
  calls: C,
  ask: () => Promise<void>,
): C => {
  const asked = Object.entries(calls).map(([name, call]) => [
    name,
    async (...args: never[]) => {
      await ask()
      return call(...args)
    },
  ])
  return Object.fromEntries(asked)
}
