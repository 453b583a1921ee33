import type { Phrase, Translator } from '../../../../kit/messages/translator.ts'
import type { Integration, Scope } from '../../../domain/integration.ts'
import { identityScopes } from '../../../domain/scopes.ts'

type Described = Pick<Integration, 'scopes' | 'optionalScopes'>

const scopeNamed = (name: string, integration: Described | undefined): Scope | undefined =>
  integration && [...integration.scopes, ...integration.optionalScopes].find((scope) => scope.name === name)

type Words = Pick<Translator, 'phrase'>

/** Scopes without a description are shown by name. Only undescribed identity scopes are hidden. */
export const requestedPermissions = ({ scopes }: Pick<Integration, 'scopes'>, words: Words): Phrase[] =>
  scopes.filter(isForTheUser).map((scope) => wordsOf(scope, words))

export const grantedPermissions = (
  names: readonly string[],
  integration: Described | undefined,
  words: Words,
): Phrase[] =>
  names
    .map((name) => scopeNamed(name, integration) ?? { name })
    .filter(isForTheUser)
    .map((scope) => wordsOf(scope, words))

const isForTheUser = ({ name, description }: Scope) => Boolean(description) || !identityScopes.has(name)

export const permissionNamed = (name: string, integration: Described | undefined, words: Words): Phrase =>
  wordsOf(scopeNamed(name, integration) ?? { name }, words)

const wordsOf = ({ name, description }: Scope, words: Words): Phrase =>
  description ? words.phrase(description) : { text: name, lang: undefined }
