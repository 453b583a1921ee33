import {
  type GrantProblem as Document,
  type GrantProblemCode,
  GrantProblemPage,
} from '../../../../contract/control-plane/grant-problems.ts'
import type { GrantProblem, GrantProblems } from '../../../domain/ports/connections.ts'
import { allPages } from './all-pages.ts'
import type { PlatformHttp } from './platform-http.ts'

/** Health checks find the problems as well. */
export function platformGrantProblems(http: Pick<PlatformHttp, 'look'>): GrantProblems {
  const list = async (query: Record<string, string>) =>
    (await allPages(http, '/grant-problems', GrantProblemPage, query)).map(toProblem)
  return {
    since: (at) => list({ since: at.toISOString() }),
    of: async ({ workspace, name }) =>
      (await list({ connection: name })).filter((problem) => problem.workspace === workspace),
  }
}

const toProblem = ({ time, workspace, connection, code, scope }: Document): GrantProblem => ({
  at: new Date(time),
  workspace,
  connectionName: connection,
  cause: causes[code],
  scope,
})

const causes: Record<GrantProblemCode, GrantProblem['cause']> = {
  grant_revoked: 'grant_revoked',
  insufficient_scope: 'scope_insufficient',
  client_rejected: 'client_rejected',
}
