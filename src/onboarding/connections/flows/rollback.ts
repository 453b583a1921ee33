import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { type Connection, connectionSnapshot, resourceName } from '../../domain/connection.ts'
import { Failure } from '../../domain/failure.ts'
import { ClientUnreadable, type Integration, rotatesRefreshTokens } from '../../domain/integration.ts'
import type { Link } from '../../domain/link.ts'
import type { Background } from '../../domain/ports/shared.ts'
import { isSameAccount } from '../../domain/relink.ts'
import { isIssuedBy, type RollbackRefusal, rollbackRefusal } from '../../domain/stored-grant.ts'

import { findClient } from '../../tenants/flows/find-client.ts'
import { liveConnection, type OnConnection } from './own-connection.ts'
import { linkBefore } from './rollback-steps.ts'
import { connectionBusy, type TaskNeeds, type TaskSettings } from './task-step.ts'
import { openedBefore, type TaskInProgress, workOnTask } from './work-on-task.ts'

type Needs = TaskNeeds & { background: Background }

/** Restores the grant before the last re-link, while it is stored. */
export const rollback =
  (needs: Needs, settings: TaskSettings) =>
  async (input: OnConnection): Promise<TaskInProgress> => {
    const id = needs.tokens.id('tsk', input.claim?.seed)
    const opened = await openedBefore(needs, id, input.claim)
    if (opened) return opened // a second rollback would undo the first
    const connection = await liveConnection(needs, input)
    const refusal = await rollbackObstacle(needs, connection)
    if (refusal) throw new Failure('rollback_impossible', refusal)
    const { actor, reason } = input
    const notes = settings.connectionPut
      ? {}
      : { nextName: resourceName(connection.integration, needs.tokens.nameDigest(id)) }
    const about = { actor, ...aboutConnection(connection), reason }
    const task = await needs.tasks.open(
      { id, connectionId: connection.id, kind: 'rollback', step: 'testing', reason, actor, notes },
      { action: 'rollback.started', ...about, before: connectionSnapshot(connection) },
    )
    if (!task) throw connectionBusy()
    return { task, done: needs.background.keep(workOnTask(needs, settings)(task)) }
  }

type RollbackNeeds = Pick<TaskNeeds, 'storedGrants' | 'links' | 'tenants' | 'integrations'>

/** Why a connection cannot be rolled back, as a sentence. Returns undefined if it can. */
export async function rollbackObstacle(needs: RollbackNeeds, connection: Connection): Promise<string | undefined> {
  const ready = await findClient(needs, connection).catch(undefinedIfUnreadable)
  if (!ready) return "The secret of the tenant's OAuth client cannot be decrypted: its encryption key is missing."
  const { integration, client } = ready
  const previous = await needs.storedGrants.find(connection.id, 'previous')
  const refusal =
    rollbackRefusal(previous, rotatesRefreshTokens(integration), client.id) ??
    originRefusal(integration, connection, await linkBefore(needs, connection))
  return refusal && words[refusal]
}

/** The encryption key was lost, so the tenant's client has to be replaced. */
const undefinedIfUnreadable = (error: unknown): undefined => {
  if (!(error instanceof ClientUnreadable)) throw error
}

/**
 * Only a re-link may change the account or the authorization server, never a rollback. Of a grant that nobody knows the
 * account of, it would take away what the connection is pinned to: whoever has an open address could bring theirs in.
 */
function originRefusal(
  integration: Integration,
  connection: Connection,
  brought: Link | undefined,
): RollbackRefusal | undefined {
  if (!isIssuedBy(integration, brought?.config)) return 'other_server'
  if (!brought) return undefined
  if (connection.account && !brought.account) return 'unknown_account'
  return isSameAccount(brought, connection.account) ? undefined : 'other_account'
}

const words: Record<RollbackRefusal, string> = {
  not_kept: 'There is no previous grant: none was stored, or it has expired.',
  stale: 'This provider rotates refresh tokens, so the previous grant no longer works.',
  other_client: 'The previous grant belongs to a different OAuth client than the one configured now.',
  other_account: 'The previous grant belongs to a different account. Re-link the connection to change its account.',
  unknown_account: 'It is not known whose account the previous grant belongs to. Re-link the connection instead.',
  other_server: 'The previous grant was issued by a different authorization server than the one in use now.',
}
