import type { Phrase, Translator } from '../../../../kit/messages/translator.ts'
import type { Integration, Scope } from '../../../domain/integration.ts'
import { type Access, accessOf, identityScopes, onlyKeepsAccess } from '../../../domain/scopes.ts'

export type Permission = Phrase & { access: Access }

type Described = Pick<Integration, 'scopes' | 'optionalScopes'>

const scopeNamed = (name: string, integration: Described | undefined): Scope | undefined =>
  integration && [...integration.scopes, ...integration.optionalScopes].find((scope) => scope.name === name)

type Words = Pick<Translator, 'phrase'>

export const requestedPermissions = ({ scopes }: Pick<Integration, 'scopes'>, words: Words): Permission[] =>
  permissionsOf(scopes, words)

export const grantedPermissions = (
  names: readonly string[],
  integration: Described | undefined,
  words: Words,
): Permission[] =>
  permissionsOf(
    names.map((name) => scopeNamed(name, integration) ?? { name }),
    words,
  )

/** Permissions to read come last. Scopes without a description are shown by name, except for identity scopes. */
function permissionsOf(scopes: readonly Scope[], words: Words): Permission[] {
  const shown = scopes
    .filter((scope) => (scope.description ? !onlyKeepsAccess(scope) : !identityScopes.has(scope.name)))
    .map((scope) => ({ ...wordsOf(scope, words), access: accessOf(scope) }))
  const isRead = ({ access }: Permission) => access === 'read'
  return [...shown.filter((each) => !isRead(each)), ...shown.filter(isRead)]
}

export const permissionNamed = (name: string, integration: Described | undefined, words: Words): Phrase =>
  wordsOf(scopeNamed(name, integration) ?? { name }, words)

const wordsOf = ({ name, description }: Scope, words: Words): Phrase =>
  description ? words.phrase(description) : { text: name, lang: undefined }
