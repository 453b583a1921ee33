// The tools of a vendor's own MCP server behind a connection: what agents see, and what somebody has to approve.
import { worker } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { type Connection, connectionState } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { Audit, Tokens } from '../../domain/ports/shared.ts'
import type { KnownToolLists, ToolList, ToolListNews, ToolLists } from '../../domain/ports/tool-lists.ts'
import { toolsChangedEvent } from '../../domain/tenant-event.ts'
import { type ConnectionInSight, liveConnection, type OnConnection } from './own-connection.ts'

type Needs = { connections: Connections; toolLists: ToolLists; audit: Audit }

export const readToolList =
  (needs: Pick<Needs, 'connections' | 'toolLists'>) =>
  async (input: ConnectionInSight): Promise<ToolList> => {
    const connection = await liveConnection(needs, input)
    const list = await needs.toolLists.find(connection).catch(throwUnavailable)
    if (!list) throw missing('list of tools')
    return list
  }

export type ApproveTools = Omit<OnConnection, 'reason'> & { hash: string; reason?: string | undefined }

/** Approving names the hash: nobody approves a change that came after they looked. */
export const approveTools =
  (needs: Needs) =>
  async (input: ApproveTools): Promise<ToolList> => {
    const { hash, actor, reason } = input
    const list = await readToolList(needs)(input)
    if (list.approved.hash === hash) return list
    const connection = await liveConnection(needs, input)
    const isApproved = await needs.toolLists.approve(connection, list, hash).catch(throwUnavailable)
    if (!isApproved || list.pending?.hash !== hash)
      throw new Failure(
        'tool_list_outdated',
        'The tools have changed since. Review the change again before you approve it.',
      )
    await needs.audit.note({
      action: 'connection.tools_approved',
      actor,
      ...aboutConnection(connection),
      before: connectionState(connection),
      after: connectionState(connection),
      ...(reason !== undefined && { reason }),
      facts: { hash },
    })
    return readToolList(needs)(input)
  }

type NoticeNeeds = { toolLists: ToolLists; knownToolLists: KnownToolLists; tokens: Tokens }

/**
 * Tells the tenant when a vendor's server offers other tools than before. Called after the tools were listed, so what the
 * platform says is as new as that; it is never a reason for a check to fail.
 */
export const noticeToolChange =
  ({ toolLists, knownToolLists, tokens }: NoticeNeeds) =>
  async (connection: Connection): Promise<void> => {
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

/** What somebody approved, or the server took back, is no news. */
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
