import type { Switches } from './switch-table.ts'

export const separators = { space: ' ', comma: ',', plus: '+' } as const

/** Undefined if they are set apart in another way than this provider's. */
export function readScopes(text: string | undefined, { scope_separator }: Switches): string[] | undefined {
  const separator = separators[scope_separator]
  const scopes = (text ?? '').split(separator).filter((scope) => scope !== '')
  const others = Object.values(separators).filter((other) => other !== separator)
  // A plus or a comma may belong to a scope's name; two scopes in one, set apart by another sign, do not.
  return scopes.some((scope) => others.some((other) => scope.includes(other))) ? undefined : scopes
}

/** Those that an app has which may not ask for any itself. */
export const appScopes = ['files.read', 'files.write']

export const writeScopes = (scopes: readonly string[], { scope_separator }: Switches): string =>
  scopes.join(separators[scope_separator])

/** The `scope` member of a token answer; undefined if there is none. */
export function scopeMember(scopes: readonly string[], switches: Switches): string | string[] | undefined {
  const said = {
    same: scopes,
    missing: undefined,
    narrower: scopes.slice(0, -1),
    wider: [...scopes, 'files.delete'],
    reordered: [...scopes].reverse(),
    list: scopes,
  }[switches.scope_answer]
  if (said === undefined || switches.scope_answer === 'list') return said && [...said]
  return writeScopes(said, switches)
}
