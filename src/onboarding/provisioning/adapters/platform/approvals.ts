import { ApprovalPage, type Approval as Document } from '../../../../contract/control-plane/approvals.ts'
import type { Approval, Approvals } from '../../../domain/ports/connections.ts'
import { allPages } from './all-pages.ts'
import type { PlatformHttp } from './platform-http.ts'

export function platformApprovals(http: Pick<PlatformHttp, 'look'>): Approvals {
  const list = async (query: Record<string, string>) =>
    (await allPages(http, '/approvals', ApprovalPage, query)).map(toApproval)
  return {
    since: (at) => list({ since: at.toISOString() }),
    of: async ({ workspace, name }) =>
      (await list({ connection: name })).filter((approval) => approval.workspace === workspace),
  }
}

const toApproval = ({ id, workspace, connection, tool, state, url, ...document }: Document): Approval => ({
  id,
  workspace,
  connectionName: connection,
  tool,
  state,
  url,
  decision: document.decision,
  decidedBy: document.decidedBy?.name,
  caller: document.caller.name,
  createdAt: new Date(document.createdAt),
  changedAt: new Date(document.changedAt),
  expiresAt: new Date(document.expiresAt),
})
