// A scripted port: tests change responses or replace methods.
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { AuthorizationServer, McpServer } from '../../../src/onboarding/domain/mcp/mcp-server.ts'
import type { ClientRegistration, McpServers } from '../../../src/onboarding/domain/ports/mcp-servers.ts'

export const notesIssuer = 'https://login.notes.example'

export const authorizationServer = (more: Partial<AuthorizationServer> = {}): AuthorizationServer => ({
  issuer: notesIssuer,
  authorizationEndpoint: `${notesIssuer}/authorize`,
  tokenEndpoint: `${notesIssuer}/token`,
  registrationEndpoint: `${notesIssuer}/register`,
  revocationEndpoint: undefined,
  userinfoEndpoint: undefined,
  jwksUri: undefined,
  scopes: undefined,
  grantTypes: ['authorization_code', 'refresh_token'],
  clientAuthentications: ['client_secret_basic', 'none'],
  signingAlgorithms: undefined,
  listsPkce: true,
  namesIssuer: false,
  takesMetadataDocuments: false,
  ...more,
})

export const mcpServer = (more: Partial<McpServer> = {}): McpServer => ({
  resource: 'https://mcp.notes.example/mcp',
  challengedScopes: undefined,
  scopes: ['notes:read'],
  authorizationServer: authorizationServer(),
  ...more,
})

export function mcpServersDouble() {
  const registrations: ClientRegistration[] = []
  let server = mcpServer()
  const double: McpServers = {
    discover: async () => server,
    async register(_at, registration) {
      registrations.push(registration)
      const client = { id: `registered-${registrations.length}`, secret: new Secret('registered secret') }
      return {
        client,
        by: 'registration',
        clientAuthentication: 'client_secret_basic',
        ...registration,
        expiresAt: undefined,
      }
    },
  }
  return {
    ...double,
    registrations,
    says(more: Partial<McpServer>) {
      server = mcpServer(more)
    },
  }
}
