import { filledFor } from '../../../domain/catalogue/integration-values.ts'
import type { Connection } from '../../../domain/connection.ts'
import type { Integration } from '../../../domain/integration.ts'
import { lackedScopes } from '../../../domain/linking/scope-choice.ts'
import { unrequestedScopes } from '../../../domain/scopes.ts'
import { shown } from './words.ts'

export function scopesOf(connection: Connection, integration: Integration | undefined) {
  const { scopes } = connection
  const requested = integration && filledFor(integration, connection.config)
  const known = integration ? [...integration.scopes, ...integration.optionalScopes] : []
  const described = new Map(known.map(({ name, description }) => [name, description]))
  return {
    granted: scopes.map((name) => ({ name: shown(name, 120), description: described.get(name) })),
    missing: lackedScopes(connection, integration).map((name) => shown(name, 120)),
    unasked: requested ? unrequestedScopes(requested, scopes).map((name) => shown(name, 120)) : [],
  }
}
