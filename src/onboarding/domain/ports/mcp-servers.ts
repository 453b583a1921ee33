import type { AuditEntry } from '../audit/audit-entry.ts'
import type { AuthorizationServer, McpServer } from '../mcp/mcp-server.ts'
import type { NewClient, RegisteredClient } from '../mcp/registered-client.ts'

export type ClientRegistration = { redirectUri: string; scope: string }

export type McpServers = {
  /** Calls the server without a token and follows its metadata to the authorization server. */
  discover(mcpUrl: string): Promise<McpServer>
  /** RFC 7591. */
  register(at: AuthorizationServer, registration: ClientRegistration): Promise<NewClient>
}

export type RegisteredClients = {
  /** The newest of the issuer. */
  newest(issuer: string): Promise<RegisteredClient | undefined>
  find(at: RegisteredAt): Promise<RegisteredClient | undefined>
  /** Returns the newest client, which is another one if another process was faster. `replaces`: the newest so far. */
  save(issuer: string, client: NewClient, replaces: string | undefined, audit: AuditEntry): Promise<RegisteredClient>
  /** No-op for clients that are not registered here. */
  markWorking(at: RegisteredAt): Promise<void>
  /** False if the client was not registered by us. */
  markForgotten(at: RegisteredAt, audit: AuditEntry): Promise<boolean>
}

export type RegisteredAt = { issuer: string; clientId: string }
