import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { type Connection, connectionSnapshot, resourceName } from '../../domain/connection.ts'
import { Failure } from '../../domain/failure.ts'
import { ClientUnreadable, type Integration, rotatesRefreshTokens } from '../../domain/integration.ts'
import type { Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { isSameAccount } from '../../domain/relink.ts'
import type { Settings } from '../../domain/settings.ts'
import { isIssuedBy, type RollbackRefusal, rollbackRefusal } from '../../domain/stored-grant.ts'
import { findClient } from '../../tenants/flows/find-client.ts'
import { liveConnection, type OnConnection } from './own-connection.ts'
import { linkBefore } from './rollback-steps.ts'
import { connectionBusy } from './task-step.ts'
import { openedBefore, type TaskInProgress, workOnTask } from './work-on-task.ts'

export async function rollback(ports: Ports, settings: Settings, input: OnConnection): Promise<TaskInProgress> {
  const id = ports.tokens.id('tsk', input.claim?.seed)
  const opened = await openedBefore(ports, id, input.claim)
  if (opened) return opened // a second rollback would undo the first
  const connection = await liveConnection(ports, input)
  const refusal = await rollbackObstacle(ports, connection)
  if (refusal) throw new Failure('rollback_impossible', refusal)
  const { actor, reason } = input
  const notes = settings.connectionPut
    ? {}
    : { nextName: resourceName(connection.integration, ports.tokens.nameDigest(id)) }
  const about = { actor, ...aboutConnection(connection), reason }
  const task = await ports.tasks.open(
    { id, connectionId: connection.id, kind: 'rollback', step: 'testing', reason, actor, notes },
    { action: 'rollback.started', ...about, before: connectionSnapshot(connection) },
  )
  if (!task) throw connectionBusy()
  return { task, done: ports.background.keep(workOnTask(ports, settings, task)) }
}

export async function rollbackObstacle(
  ports: Pick<Ports, 'storedGrants' | 'links' | 'tenants' | 'integrations'>,
  connection: Connection,
): Promise<string | undefined> {
  const ready = await findClient(ports, connection).catch(undefinedIfUnreadable)
  if (!ready) return "The secret of the tenant's OAuth client cannot be decrypted: its encryption key is missing."
  const { integration, client } = ready
  const previous = await ports.storedGrants.find(connection.id, 'previous')
  const refusal =
    rollbackRefusal(previous, rotatesRefreshTokens(integration), client.id) ??
    originRefusal(integration, connection, await linkBefore(ports, connection))
  return refusal && words[refusal]
}

const undefinedIfUnreadable = (error: unknown): undefined => {
  if (!(error instanceof ClientUnreadable)) throw error
}

/** A grant of an unknown account would unpin the connection, so an open re-link URL would accept any account. */
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
  not_kept: 'There is no previous access: none was stored, or it has expired.',
  stale: 'This provider rotates refresh tokens, so the previous access no longer works.',
  other_client: 'The previous access belongs to a different OAuth client than the one configured now.',
  other_account: 'The previous access belongs to a different account. Re-link the connection to change its account.',
  unknown_account: 'It is not known whose account the previous access belongs to. Re-link the connection instead.',
  other_server: 'The previous access is from a different authorization server than the one in use now.',
}
