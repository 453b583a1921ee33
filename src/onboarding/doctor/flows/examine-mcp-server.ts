import { filledFor } from '../../domain/catalogue/integration-values.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { type DoctorFinding, inconclusive, ok, wrong } from '../../domain/doctor/finding.ts'
import type { DoctorSubject } from '../../domain/doctor/static-checks.ts'
import type { OAuthClient } from '../../domain/integration.ts'
import {
  assertPinned,
  assertPkce,
  clientAuthenticationAt,
  discoveredConfig,
  type McpServer,
  scopesToAsk,
} from '../../domain/mcp/mcp-server.ts'
import type { Ports } from '../../domain/ports/ports.ts'

/** Returns the subject with the endpoints that its MCP server publishes. */
export async function examineMcpServer(
  ports: Ports,
  subject: DoctorSubject,
): Promise<{ subject: DoctorSubject; findings: DoctorFinding[] }> {
  const { integration } = subject
  const { mcpUrl = '' } = integration
  if (mcpUrl.includes('{')) {
    return {
      subject,
      findings: [inconclusive('discovery', 'Its address depends on a value that the user enters.')],
    }
  }
  try {
    const server = await ports.mcpServers.discover(mcpUrl)
    assertPkce(integration, server)
    assertPinned(integration, server, subject.client)
    const { issuer } = server.authorizationServer
    const client = subject.client ?? (await ports.integrations.registeredClient(issuer, undefined))
    const redirectUri = client?.redirectUri ?? subject.redirectUri
    const found = { ...subject, integration: withServer(subject, server, client), client, redirectUri }
    return {
      subject: found,
      findings: [ok('discovery', `Its authorization server is ${issuer}.`), ...noClient(server, client)],
    }
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    const { cause, detail, retry } = error
    const finding = retry ? inconclusive('discovery', `No answer: ${detail}.`) : wrong('discovery', cause, `${detail}.`)
    return { subject, findings: [finding] }
  }
}

function withServer({ integration }: DoctorSubject, server: McpServer, client: OAuthClient | undefined) {
  const scope = scopesToAsk(server, integration, '')
  const clientAuthentication = clientAuthenticationAt(server.authorizationServer, client?.secret !== undefined)
  return filledFor(integration, discoveredConfig(server, { scope, clientAuthentication }))
}

function noClient({ authorizationServer }: McpServer, client: OAuthClient | undefined): DoctorFinding[] {
  const { takesMetadataDocuments, registrationEndpoint } = authorizationServer
  if (client || takesMetadataDocuments || registrationEndpoint !== undefined) return []
  return [
    wrong('client', 'client_registration_refused', 'Its authorization server does not support client registration.'),
  ]
}
