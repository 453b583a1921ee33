import { missing } from '../../domain/failure.ts'
import {
  clientDocumentUrl,
  clientMetadata,
  issuerKeyPattern,
  redirectUriOf,
} from '../../domain/mcp/registered-client.ts'
import type { Integrations } from '../../domain/ports/shared.ts'
import type { Settings } from '../../domain/settings.ts'

/**
 * The OAuth client of this deployment for an MCP server, as its authorization server reads it: the address of the document
 * is the client's id (OAuth Client ID Metadata Document). It is the same for everybody, and holds no secret.
 */
export const readClientDocument =
  ({ integrations }: { integrations: Integrations }, settings: Pick<Settings, 'publicUrl' | 'clientName'>) =>
  (id: string, issuerKey?: string) => {
    const { publicUrl, clientName } = settings
    if (issuerKey !== undefined && !issuerKeyPattern.test(issuerKey)) throw missing('OAuth client')
    const callback = issuerKey === undefined ? id : `${id}/${issuerKey}`
    const url = clientDocumentUrl(publicUrl, callback)
    const integration = integrations.find(id)
    if (url === undefined || integration?.mcpUrl === undefined || integration.client) throw missing('OAuth client')
    const words = { name: clientName, uri: publicUrl }
    return { client_id: url, ...clientMetadata(words, redirectUriOf(publicUrl, callback), 'none') }
  }
