import type { AuditEntry } from '../audit/audit-entry.ts'
import type { ClientAuthentication, OAuthClient } from '../integration.ts'
import type { AuthorizationServer, McpServer } from '../mcp/mcp-server.ts'
import type { ClientPlace, NewClient, RegisteredClient } from '../mcp/registered-client.ts'

export type ClientRegistration = { redirectUri: string; scope: string }

/** What is not as it should be is thrown as a `DependencyError` with its cause. */
export type McpServers = {
  /** Asks the server without a token, and follows what it says to its authorization server. */
  discover(mcpUrl: string): Promise<McpServer>
  /** RFC 7591. */
  register(at: AuthorizationServer, registration: ClientRegistration): Promise<NewClient>
  /**
   * Asks the token endpoint with a code that nobody issued. False only if it says that it does not know the client; one
   * that says anything else, or does not answer, has not said that.
   */
  knowsClient(at: AuthorizationServer, client: OAuthClient, method: ClientAuthentication): Promise<boolean>
}

/** The clients that this deployment has made for itself. */
export type RegisteredClients = {
  find(at: ClientPlace): Promise<RegisteredClient | undefined>
  /**
   * Takes the place of the client with the id `replaces`, or of none. Returns the one that stands there now: if another
   * process was faster, its client is the one to use.
   */
  save(at: ClientPlace, client: NewClient, replaces: string | undefined, audit: AuditEntry): Promise<RegisteredClient>
  /** The authorization server knows it. */
  confirm(at: ClientPlace, clientId: string): Promise<void>
  /** The authorization server does not know it any more. False if the client in use there was not registered, or is another. */
  markForgotten(at: ClientPlace, clientId: string, audit: AuditEntry): Promise<boolean>
}
