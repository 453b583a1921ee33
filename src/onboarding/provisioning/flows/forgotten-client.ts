import { type Actor, worker } from '../../domain/audit/audit.ts'
import type { Cause } from '../../domain/cause.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { RegisteredClients } from '../../domain/ports/mcp-servers.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'
import { forgottenEntry } from './discover-server.ts'

type Needs = { registeredClients: RegisteredClients }

/**
 * An authorization server that rejects a client which it registered itself has forgotten it. Nobody has to correct
 * anything then: the next link registers another one. Returns the cause to tell; any other cause as it is.
 */
export async function causeIfForgotten<C extends Cause>(
  { registeredClients }: Needs,
  { integration, client }: ReadyIntegration,
  cause: C,
  actor: Actor = worker,
): Promise<C | 'client_forgotten'> {
  const { id, issuer, mcpUrl } = integration
  if (cause !== 'client_rejected' || mcpUrl === undefined || issuer === undefined) return cause
  const at = { integration: id, issuer, client }
  return (await registeredClients.markForgotten(at, client.id, forgottenEntry(at, actor))) ? 'client_forgotten' : cause
}

/** The same for an error of a dependency. */
export async function errorIfForgotten(
  needs: Needs,
  ready: ReadyIntegration,
  error: DependencyError,
  actor?: Actor,
): Promise<DependencyError> {
  const cause = await causeIfForgotten(needs, ready, error.cause, actor)
  return cause === error.cause ? error : new DependencyError(cause, { detail: error.detail })
}
