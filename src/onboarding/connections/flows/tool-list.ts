import { worker } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { type Connection, connectionState } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { ToolList, ToolListNews } from '../../domain/ports/tool-lists.ts'
import { toolsChangedEvent } from '../../domain/tenant-event.ts'
import { type ConnectionInSight, liveConnection, type OnConnection } from './own-connection.ts'

export async function readToolList(
  ports: Pick<Ports, 'connections' | 'toolLists'>,
  input: ConnectionInSight,
): Promise<ToolList> {
  const connection = await liveConnection(ports, input)
  const list = await ports.toolLists.find(connection).catch(throwUnavailable)
  if (!list) throw missing('list of tools')
  return list
}

type ApproveTools = Omit<OnConnection, 'reason'> & { hash: string; reason?: string | undefined }

export async function approveTools(
  ports: Pick<Ports, 'connections' | 'toolLists' | 'audit'>,
  input: ApproveTools,
): Promise<ToolList> {
  const { hash, actor, reason } = input
  const list = await readToolList(ports, input)
  if (list.approved.hash === hash) return list
  const connection = await liveConnection(ports, input)
  const isApproved = await ports.toolLists.approve(connection, list, hash).catch(throwUnavailable)
  if (!isApproved || list.pending?.hash !== hash)
    throw new Failure(
      'tool_list_outdated',
      'The tools have changed since you read them. Review the change again before you approve it.',
    )
  await ports.audit.note({
    action: 'connection.tools_approved',
    actor,
    ...aboutConnection(connection),
    before: connectionState(connection),
    after: connectionState(connection),
    ...(reason !== undefined && { reason }),
    facts: { hash },
  })
  return readToolList(ports, input)
}

/** Called after the tools were listed, so the platform’s record is current. Never fails a check. */
export async function noticeToolChange(
  { toolLists, knownToolLists, tokens }: Pick<Ports, 'toolLists' | 'knownToolLists' | 'tokens'>,
  connection: Connection,
): Promise<void> {
  const list = await toolLists.find(connection).catch(undefinedIfAway)
  if (!list) return
  const held = list.pending !== undefined
  const { added = [], removed = [], changed = [] } = list.pending?.change ?? {}
  const counts = { added: added.length, removed: removed.length, changed: changed.length }
  await knownToolLists.remember({
    connection,
    hash: (list.pending ?? list.approved).hash,
    tell: tellOf(list),
    audit: {
      action: 'connection.tools_changed',
      actor: worker,
      ...aboutConnection(connection),
      facts: { held, ...(held && counts) },
    },
    event: { id: tokens.id('evt'), ...toolsChangedEvent(connection, held ? counts : undefined) },
  })
}

function tellOf({ approved, pending }: ToolList): ToolListNews['tell'] {
  if (pending) return 'first_too'
  return approved.by === 'policy' ? 'if_known' : 'never'
}

export function undefinedIfAway(error: unknown): undefined {
  if (!(error instanceof DependencyError)) throw error
  return undefined
}

function throwUnavailable(error: unknown): never {
  if (!(error instanceof DependencyError)) throw error
  throw new Failure('platform_unavailable', 'The platform is not responding as expected.', { cause: error })
}
