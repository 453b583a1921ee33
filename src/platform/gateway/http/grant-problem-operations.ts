import { GrantProblemPage, GrantProblemQuery } from '../../../contract/control-plane/grant-problems.ts'
import type { Operation } from '../../shared/http/operation.ts'
import type { GrantProblem } from '../domain/grant-problem.ts'
import type { ReadGrantProblems } from '../flows/read-grant-problems.ts'

export const grantProblemOperations = (readGrantProblems: ReadGrantProblems): Operation[] => [
  {
    method: 'get',
    path: '/grant-problems',
    scope: 'integrations:list',
    summary: 'List the grants that third parties refused in the last 30 days, in all workspaces of the caller',
    query: GrantProblemQuery,
    answers: { 200: GrantProblemPage },
    handleCaller: async ({ caller, req }): Promise<GrantProblemPage> => {
      const { data, ...meta } = await readGrantProblems(caller, GrantProblemQuery.parse(req.query))
      return { data: data.map(showProblem), meta }
    },
  },
]

const showProblem = ({ at, workspace, connection, functionName, code, scope }: GrantProblem) => ({
  time: at.toISOString(),
  workspace,
  connection,
  function: functionName,
  code,
  ...(scope !== undefined && { scope }),
})
