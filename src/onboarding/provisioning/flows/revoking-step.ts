import { DependencyError } from '../../domain/dependency-error.ts'
import { isToldEnd, type Link } from '../../domain/link.ts'
import type { ProvisionNeeds, Step } from './decision.ts'
import { accountChange, rereadGrant } from './escrowed-grant.ts'
import { whileUnrevoked } from './failure-policy.ts'

/**
 * The user granted too little, or nobody put the grant to work in time. What a first link made on the platform goes as far as the platform lets it,
 * and the grant itself goes whether the platform does or not.
 */
export const revoking: Step = async (context, link) => {
  const cause = link.cause ?? 'platform_refused'
  const account = link.account ?? (await rereadGrant(context, link).catch(undefinedIfUnable))?.account
  if (!account && context.ready.integration.revocation.reach === 'grant' && !isToldEnd(link)) {
    // Revoking could end another connection of the same account, and nobody can tell whether there is one.
    const facts = { stalled: true, grant: 'account_unknown' } as const
    return whileUnrevoked({ ...link, state: 'revoking' }, { cause, facts }, context.needs.chance())
  }
  if (!link.relink) await clearPlatform(context.needs, link)
  return {
    kind: 'fail',
    cause,
    revoke: true,
    changes: accountChange({ account }),
    facts: isToldEnd(link) ? {} : { stalled: true },
  }
}

/** Removes what a first link made, as far as the platform lets it. */
export async function clearPlatform({ platform }: Pick<ProvisionNeeds, 'platform'>, link: Link): Promise<void> {
  await platform.deleteFunction(link).catch(undefinedIfUnable)
  await platform.deleteConnection(link).catch(undefinedIfUnable)
}

function undefinedIfUnable(error: unknown): undefined {
  if (error instanceof DependencyError) return undefined
  throw error
}
