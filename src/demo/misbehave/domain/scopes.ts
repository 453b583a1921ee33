import type { Switches } from './switch-table.ts'

export const separators = { space: ' ', comma: ',', plus: '+' } as const

/** Returns undefined if the scopes have the wrong separator. */
export function readScopes(text: string | undefined, { scope_separator }: Switches): string[] | undefined {
  const separator = separators[scope_separator]
  const scopes = (text ?? '').split(separator).filter((scope) => scope !== '')
  const others = Object.values(separators).filter((other) => other !== separator)
  return scopes.some((scope) => others.some((other) => scope.includes(other))) ? undefined : scopes
}

/** The scopes of an app with `scopes=on_app`. */
export const appScopes = ['files.read', 'files.write']

const writeScopes = (scopes: readonly string[], { scope_separator }: Switches): string =>
  scopes.join(separators[scope_separator])

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
