import type { Caller, Member } from './caller.ts'
import { Failure } from './failure.ts'

/** Scopes match whole and exactly; `admin` satisfies all. API keys carry a role and no scopes. */
export function requireScope({ scopes }: Caller, scope: string): void {
  if (scopes === undefined || scopes.has('admin') || scopes.has(scope)) return
  throw new Failure('scope_missing', `This needs the scope ${scope}.`)
}

export function requireAdmin({ role }: Member): void {
  if (role !== 'admin') throw new Failure('role_missing', 'This needs the workspace admin role.')
}
