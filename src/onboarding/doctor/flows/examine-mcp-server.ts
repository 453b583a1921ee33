import { filledFor } from '../../domain/catalogue/integration-values.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { type DoctorFinding, inconclusive, ok, wrong } from '../../domain/doctor/finding.ts'
import type { DoctorSubject } from '../../domain/doctor/static-checks.ts'
import type { OAuthClient } from '../../domain/integration.ts'
import {
  assertPinned,
  clientAuthenticationAt,
  discoveredConfig,
  type McpServer,
  scopesToAsk,
} from '../../domain/mcp/mcp-server.ts'
import type { McpServers } from '../../domain/ports/mcp-servers.ts'
import type { Integrations } from '../../domain/ports/shared.ts'

type Needs = { mcpServers: McpServers; integrations: Integrations }

/** The subject with what its server says about itself, so that the rest can be asked as of any other. */
export async function examineMcpServer(
  needs: Needs,
  subject: DoctorSubject,
): Promise<{ subject: DoctorSubject; findings: DoctorFinding[] }> {
  const { integration } = subject
  const { mcpUrl = '' } = integration
  if (mcpUrl.includes('{')) {
    return {
      subject,
      findings: [inconclusive('discovery', 'Its address is known once a user has typed a part of it.')],
    }
  }
  try {
    const server = await needs.mcpServers.discover(mcpUrl)
    assertPinned(integration, server, subject.client)
    const { issuer } = server.authorizationServer
    const client = subject.client ?? (await needs.integrations.registeredClient(integration.id, issuer))
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
  return [wrong('client', 'client_registration_refused', 'Its authorization server lets no client register itself.')]
}
