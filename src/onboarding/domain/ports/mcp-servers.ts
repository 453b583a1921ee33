import type { AuditEntry } from '../audit/audit-entry.ts'
import type { ClientAuthentication, OAuthClient } from '../integration.ts'
import type { AuthorizationServer, McpServer } from '../mcp/mcp-server.ts'
import type { ClientPlace, NewClient, RegisteredClient } from '../mcp/registered-client.ts'

export type ClientRegistration = { redirectUri: string; scope: string }

export type McpServers = {
  /** Calls the server without a token and follows its metadata to the authorization server. */
  discover(mcpUrl: string): Promise<McpServer>
  /** RFC 7591. */
  register(at: AuthorizationServer, registration: ClientRegistration): Promise<NewClient>
  /** Sends a junk code to the token endpoint. False only if the response says that the client is unknown. */
  knowsClient(at: AuthorizationServer, client: OAuthClient, method: ClientAuthentication): Promise<boolean>
}

export type RegisteredClients = {
  find(at: ClientPlace): Promise<RegisteredClient | undefined>
  /** Returns the stored client, which is another one if another process was faster. */
  save(at: ClientPlace, client: NewClient, replaces: string | undefined, audit: AuditEntry): Promise<RegisteredClient>
  confirm(at: ClientPlace, clientId: string): Promise<void>
  /** False if the client in use there was not registered by us, or is another one. */
  markForgotten(at: ClientPlace, clientId: string, audit: AuditEntry): Promise<boolean>
}
