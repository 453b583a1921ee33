import { adminScope } from '../../../contract/scopes.ts'
import type { Caller, Role } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'

/** The creator of a key or service account. It can pass on only its own scopes. */
export type Minter = Pick<Caller, 'scopes' | 'endsAt' | 'grant'>

export const unlimited: Minter = { scopes: undefined }

const maxScopedDays = 90

export type KeyLimits = { scopes: string[] | undefined; expiresAt: Date | undefined; grant?: string | undefined }

/** Keys created by an app have its scopes and expire, and so do keys created with those. Otherwise an app could keep access. */
export function keyLimits({ scopes, endsAt, grant }: Minter, expiresIn: number | undefined, now: Date): KeyLimits {
  const asked = expiresIn === undefined ? undefined : new Date(now.getTime() + expiresIn * 1000)
  if (scopes === undefined) return { scopes, expiresAt: asked, grant }
  const inDays = new Date(now.getTime() + maxScopedDays * 86_400_000)
  const latest = endsAt && endsAt < inDays ? endsAt : inDays
  if (asked && asked > latest) {
    throw new Failure(
      'input_invalid',
      `expiresIn: this credential can create keys until ${latest.toISOString()} at most`,
    )
  }
  return { scopes: [...scopes], expiresAt: asked ?? latest, grant }
}

/** Limits a service account to its creator's scopes, because it can get tokens for everything its role allows. */
export function accountScopes({ scopes }: Minter, role: Role | undefined): string[] | undefined {
  if (scopes === undefined || scopes.has(adminScope)) return undefined
  if (role === 'admin') throw new Failure('scope_missing', `An admin service account needs the scope ${adminScope}.`)
  return [...scopes]
}

/** Scopes of both the key and its owner. Undefined means all. */
export function commonScopes(key: readonly string[] | null, owner: readonly string[] | null): Set<string> | undefined {
  const isWhole = (scopes: readonly string[] | null) => scopes === null || scopes.includes(adminScope)
  if (isWhole(owner)) return key === null ? undefined : new Set(key)
  if (isWhole(key)) return new Set(owner)
  return new Set(key?.filter((scope) => owner?.includes(scope)))
}
