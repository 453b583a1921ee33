import { adminScope } from '../../../contract/scopes.ts'
import type { Caller, Role } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'

/** Who makes a key or a service account: it can hand on the scopes that it has, and no more. */
export type Minter = Pick<Caller, 'scopes' | 'endsAt' | 'grant'>

/** For operators, and for keys that carry the role of their owner. */
export const unlimited: Minter = { scopes: undefined }

const longestScopedDays = 90

/** `grant`: the key ends with it. */
export type KeyLimits = { scopes: string[] | undefined; expiresAt: Date | undefined; grant?: string | undefined }

/**
 * An app that a person allowed to create keys must not become that person for ever: its keys have its scopes and end,
 * and so do the keys that are made with those.
 */
export function keyLimits({ scopes, endsAt, grant }: Minter, expiresIn: number | undefined, now: Date): KeyLimits {
  const asked = expiresIn === undefined ? undefined : new Date(now.getTime() + expiresIn * 1000)
  if (scopes === undefined) return { scopes, expiresAt: asked, grant }
  const inDays = new Date(now.getTime() + longestScopedDays * 86_400_000)
  const latest = endsAt && endsAt < inDays ? endsAt : inDays
  if (asked && asked > latest) {
    throw new Failure('input_invalid', `expiresIn: this credential makes keys until ${latest.toISOString()} at most`)
  }
  return { scopes: [...scopes], expiresAt: asked ?? latest, grant }
}

/** A service account gets tokens for whatever its role allows, so it is bound to the scopes of who made it. */
export function accountScopes({ scopes }: Minter, role: Role | undefined): string[] | undefined {
  if (scopes === undefined || scopes.has(adminScope)) return undefined
  if (role === 'admin') throw new Failure('scope_missing', `An admin service account needs the scope ${adminScope}.`)
  return [...scopes]
}

/** Of a key and its owner, what both may do; undefined is everything. */
export function commonScopes(key: readonly string[] | null, owner: readonly string[] | null): Set<string> | undefined {
  const isWhole = (scopes: readonly string[] | null) => scopes === null || scopes.includes(adminScope)
  if (isWhole(owner)) return key === null ? undefined : new Set(key)
  if (isWhole(key)) return new Set(owner)
  return new Set(key?.filter((scope) => owner?.includes(scope)))
}
