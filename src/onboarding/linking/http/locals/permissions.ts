// What an app is asked for, in words where its profile has some.
import { type Integration, identityScopes, type Scope } from '../../../domain/integration.ts'

/**
 * All that a visitor is asked to agree to. One without words is shown by its name: whoever agrees must see it. Those
 * that only say who signs in have words where a profile thinks them worth some.
 */
export const askedPermissions = ({ scopes }: Pick<Integration, 'scopes'>): string[] =>
  scopes.filter(({ name, description }) => description || !identityScopes.has(name)).map(wordsOf)

/** A scope may be known by its name alone: no profile describes it, or the integration is gone. */
export const permissionNamed = (name: string, integration: Pick<Integration, 'scopes'> | undefined): string =>
  wordsOf(integration?.scopes.find((scope) => scope.name === name) ?? { name })

const wordsOf = ({ name, description }: Scope): string => description || name
