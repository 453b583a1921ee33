import type { Request } from 'express'
import { type BrandedHeaders, WorkspaceName } from '../../../contract/headers.ts'
import { Failure, workspaceClosed } from '../domain/failure.ts'

/** The workspace a request names, in the header or in the query. Naming two is a mistake we do not resolve for anybody. */
export function workspaceOf(req: Request, headers: BrandedHeaders): string | undefined {
  const named = [req.get(headers.workspace), req.query.workspace].flat().filter((name) => name !== undefined)
  if (new Set(named).size > 1) throw new Failure('workspace_ambiguous', 'Two different workspaces are named.')
  if (named[0] === undefined) return undefined
  const name = WorkspaceName.safeParse(named[0])
  // Nobody can have made one of that name, and that is not told either.
  if (!name.success) throw workspaceClosed()
  return name.data
}
