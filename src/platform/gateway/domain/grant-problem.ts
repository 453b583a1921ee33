import { z } from 'zod'
import { GrantProblemCode } from '../../../contract/control-plane/grant-problems.ts'

export type GrantProblem = {
  at: Date
  workspace: string
  connection: string
  connectionId: string
  functionName: string
  code: GrantProblemCode
  scope: string | undefined
}

type ProblemQuery = {
  workspaces: readonly string[]
  since: Date | undefined
  connection: string | undefined
  after: ProblemPosition | undefined
  limit: number
}

export type ProblemPosition = Pick<GrantProblem, 'at' | 'connectionId' | 'code'>

export const ProblemCursor = z.strictObject({ at: z.int(), connectionId: z.string(), code: GrantProblemCode })

type NewProblem = Pick<GrantProblem, 'connectionId' | 'functionName' | 'code' | 'scope'> & { version: number }

export type GrantProblems = {
  /** No-op for the same secrets, code and scope, except for a rejected client a minute later. */
  note(problem: NewProblem): Promise<void>
  /** Oldest first; omits problems of replaced secrets. */
  list(query: ProblemQuery): Promise<GrantProblem[]>
}
