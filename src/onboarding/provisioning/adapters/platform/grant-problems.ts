import {
  type GrantProblem as Document,
  type GrantProblemCode,
  GrantProblemPage,
} from '../../../../contract/control-plane/grant-problems.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { GrantProblem, GrantProblems } from '../../../domain/ports/connections.ts'
import type { PlatformHttp } from './platform-http.ts'

const maxPages = 20

export function platformGrantProblems(http: Pick<PlatformHttp, 'look'>): GrantProblems {
  return {
    since: (at) => allPages(http, { since: at.toISOString() }),
    of: async ({ workspace, name }) =>
      (await allPages(http, { connection: name })).filter((problem) => problem.workspace === workspace),
  }
}

async function allPages(http: Pick<PlatformHttp, 'look'>, query: Record<string, string>): Promise<GrantProblem[]> {
  const found: GrantProblem[] = []
  let cursor = ''
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await read(http, { ...query, ...(cursor && { cursor }) })
    found.push(...page.data.map(toProblem))
    cursor = page.meta.nextCursor
    if (!page.meta.hasMore || cursor === '') break
  }
  return found
}

async function read(http: Pick<PlatformHttp, 'look'>, query: Record<string, string>): Promise<GrantProblemPage> {
  const { status, body } = await http.look(`/grant-problems?${new URLSearchParams(query)}`)
  // The platform has no such endpoint, or the key may not read it. Health checks find the problems as well.
  if (status === 404 || status === 403) return nothing
  const page = GrantProblemPage.safeParse(body)
  if (status === 200 && page.success) return page.data
  throw new DependencyError('platform_unavailable', { retry: {}, detail: `grant problems: ${status}` })
}

const nothing: GrantProblemPage = { data: [], meta: { hasMore: false, nextCursor: '' } }

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
