import type { Request } from 'express'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import { Failure } from '../domain/failure.ts'

/** The workspace a request names, in the header or in the query. Naming two is a mistake we do not resolve for anybody. */
export function workspaceOf(req: Request, headers: BrandedHeaders): string | undefined {
  const named = [req.get(headers.workspace), req.query.workspace].flat().filter((name) => name !== undefined)
  if (new Set(named).size > 1) throw new Failure('workspace_ambiguous', 'Two different workspaces are named.')
  return named[0] === undefined ? undefined : String(named[0])
}
