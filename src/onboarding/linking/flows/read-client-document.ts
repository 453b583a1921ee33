import { missing } from '../../domain/failure.ts'
import {
  clientDocumentUrl,
  clientMetadata,
  issuerCallback,
  issuerKeyPattern,
  redirectUriOf,
} from '../../domain/mcp/registered-client.ts'
import type { Settings } from '../../domain/settings.ts'

/** OAuth Client ID Metadata Document: its URL is the client ID. */
export function readClientDocument({ publicUrl, clientName }: Settings, issuerKey: string) {
  const url = issuerKeyPattern.test(issuerKey) ? clientDocumentUrl(publicUrl, issuerKey) : undefined
  if (url === undefined) throw missing('OAuth client')
  const words = { name: clientName, uri: publicUrl }
  return { client_id: url, ...clientMetadata(words, redirectUriOf(publicUrl, issuerCallback(issuerKey)), 'none') }
}
