import { missing } from '../../domain/failure.ts'
import {
  clientDocumentUrl,
  clientMetadata,
  issuerKeyPattern,
  redirectUriOf,
} from '../../domain/mcp/registered-client.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'

/** OAuth Client ID Metadata Document: its URL is the client ID. */
export function readClientDocument(
  { integrations }: Pick<Ports, 'integrations'>,
  settings: Settings,
  id: string,
  issuerKey?: string,
) {
  const { publicUrl, clientName } = settings
  if (issuerKey !== undefined && !issuerKeyPattern.test(issuerKey)) throw missing('OAuth client')
  const callback = issuerKey === undefined ? id : `${id}/${issuerKey}`
  const url = clientDocumentUrl(publicUrl, callback)
  const integration = integrations.find(id)
  if (url === undefined || integration?.mcpUrl === undefined || integration.client) throw missing('OAuth client')
  const words = { name: clientName, uri: publicUrl }
  return { client_id: url, ...clientMetadata(words, redirectUriOf(publicUrl, callback), 'none') }
}
