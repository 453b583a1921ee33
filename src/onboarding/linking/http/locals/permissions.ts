// Requested scopes as sentences, if the profile has them.
import type { Phrase, Translator } from '../../../../kit/messages/translator.ts'
import type { Integration, Scope } from '../../../domain/integration.ts'
import { identityScopes } from '../../../domain/scopes.ts'

type Words = Pick<Translator, 'phrase'>

/**
 * Everything the user is asked to agree to. A scope without a description is shown by its name, so that none is hidden;
 * only identity scopes without a description are left out.
 */
export const requestedPermissions = ({ scopes }: Pick<Integration, 'scopes'>, words: Words): Phrase[] =>
  scopes.filter(isForTheUser).map((scope) => wordsOf(scope, words))

/** What was granted, with the same ones left out. */
export const grantedPermissions = (
  names: readonly string[],
  integration: Pick<Integration, 'scopes'> | undefined,
  words: Words,
): Phrase[] =>
  names
    .map((name) => integration?.scopes.find((scope) => scope.name === name) ?? { name })
    .filter(isForTheUser)
    .map((scope) => wordsOf(scope, words))

const isForTheUser = ({ name, description }: Scope) => Boolean(description) || !identityScopes.has(name)

/** Falls back to the name if no profile describes the scope or the integration was removed. */
export const permissionNamed = (
  name: string,
  integration: Pick<Integration, 'scopes'> | undefined,
  words: Words,
): Phrase => wordsOf(integration?.scopes.find((scope) => scope.name === name) ?? { name }, words)

/** A name is in no language. */
const wordsOf = ({ name, description }: Scope, words: Words): Phrase =>
  description ? words.phrase(description) : { text: name, lang: undefined }
