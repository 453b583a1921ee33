import { z } from 'zod'
import { GrantProblemCode } from '../../../contract/control-plane/grant-problems.ts'

/** What a call showed about the grant behind it: only whoever linked it can help. */
export type GrantProblem = {
  at: Date
  workspace: string
  connection: string
  connectionId: string
  functionName: string
  code: GrantProblemCode
  scope: string | undefined
}

export type ProblemQuery = {
  workspaces: readonly string[]
  since: Date | undefined
  connection: string | undefined
  /** The last one that was read. */
  after: ProblemPosition | undefined
  limit: number
}

export type ProblemPosition = Pick<GrantProblem, 'at' | 'connectionId' | 'code'>

/** What a cursor holds of it. */
export const ProblemCursor = z.strictObject({ at: z.int(), connectionId: z.string(), code: GrantProblemCode })

export type NewProblem = Pick<GrantProblem, 'connectionId' | 'functionName' | 'code' | 'scope'> & { version: number }

export type GrantProblems = {
  /** Once for the same secrets, code and scope. */
  note(problem: NewProblem): Promise<void>
  /** The oldest first; of secrets that are still in use. */
  list(query: ProblemQuery): Promise<GrantProblem[]>
}
