// What an app is asked for, in words where its profile has some.
import type { Integration } from '../../domain/integration.ts'

/** A scope may be known by its name alone: no profile describes it, or the integration is gone. */
export const permissionNamed = (name: string, integration: Pick<Integration, 'scopes'> | undefined): string =>
  integration?.scopes.find((scope) => scope.name === name)?.description || name
