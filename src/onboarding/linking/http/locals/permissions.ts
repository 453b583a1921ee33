// Requested scopes as sentences, if the profile has them.
import type { Integration, Scope } from '../../../domain/integration.ts'
import { identityScopes } from '../../../domain/scopes.ts'

/**
 * Everything the user is asked to agree to. A scope without a description is shown by its name, so that none is hidden;
 * only identity scopes without a description are left out.
 */
export const requestedPermissions = ({ scopes }: Pick<Integration, 'scopes'>): string[] =>
  scopes.filter(({ name, description }) => description || !identityScopes.has(name)).map(wordsOf)

/** Falls back to the name if no profile describes the scope or the integration was removed. */
export const permissionNamed = (name: string, integration: Pick<Integration, 'scopes'> | undefined): string =>
  wordsOf(integration?.scopes.find((scope) => scope.name === name) ?? { name })

const wordsOf = ({ name, description }: Scope): string => description || name
