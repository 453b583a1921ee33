import { DependencyError } from '../../domain/dependency-error.ts'
import type { Link } from '../../domain/link.ts'
import { type Context, giveBack, holdUnwanted, rereadGrant } from './advance-link.ts'

/**
 * Nobody put the grant to work in time. What a first link made on the platform goes as far as the platform lets it,
 * and the grant itself goes whether the platform does or not.
 */
export async function givingBack(context: Context, link: Link): Promise<Link> {
  const cause = link.cause ?? 'platform_refused'
  const account = link.account ?? (await accountOf(context, link))
  const changes = account ? { account } : {}
  if (!account && context.ready.integration.revocationReach === 'grant') {
    // Revoking could end another connection of the same account, and nobody can tell whether there is one.
    return holdUnwanted(context, link, { cause, grant: 'account_unknown' }, changes)
  }
  if (!link.relink) await clearPlatform(context, link)
  return giveBack(context, link, { cause, stalled: true }, changes)
}

const accountOf = async (context: Context, link: Link) =>
  (await rereadGrant(context, link).catch(unlessTrouble))?.account

async function clearPlatform({ needs: { platform } }: Context, link: Link): Promise<void> {
  await platform.deleteFunction(link).catch(unlessTrouble)
  await platform.deleteConnection(link).catch(unlessTrouble)
}

function unlessTrouble(error: unknown): undefined {
  if (error instanceof DependencyError) return undefined
  throw error
}
