import { DependencyError } from '../../domain/dependency-error.ts'
import { isReportedEnd, type Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Step } from './decision.ts'
import { accountChange, rereadGrant } from './escrowed-grant.ts'
import { whileUnrevoked } from './failure-policy.ts'

export const revoking: Step = async (context, link) => {
  const cause = link.cause ?? 'platform_refused'
  const account = link.account ?? (await rereadGrant(context, link).catch(undefinedIfUnable))?.account
  if (!account && context.ready.integration.revocation.reach === 'grant' && !isReportedEnd(link)) {
    // Revoking could end another connection of the same account.
    const facts = { stalled: true, grant: 'account_unknown' } as const
    return whileUnrevoked({ ...link, state: 'revoking' }, { cause, facts }, context.ports.chance())
  }
  if (link.kind !== 'relink') await clearPlatform(context.ports, link)
  const facts = isReportedEnd(link) ? {} : { stalled: true }
  return { kind: 'fail', cause, revoke: true, changes: accountChange({ account }), facts }
}

export async function clearPlatform({ platform }: Pick<Ports, 'platform'>, link: Link): Promise<void> {
  await platform.deleteFunction(link).catch(undefinedIfUnable)
  await platform.deleteConnection(link).catch(undefinedIfUnable)
}

function undefinedIfUnable(error: unknown): undefined {
  if (error instanceof DependencyError) return undefined
  throw error
}
