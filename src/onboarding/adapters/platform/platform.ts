// Domain words to the platform's documents, and back.
import { z } from 'zod'
import type { McpFunctionInput } from '../../../contract/control-plane/function.ts'
import type { IntegrationConnectionInput } from '../../../contract/control-plane/integration-connection.ts'
import { ownershipLabel } from '../../domain/connection.ts'
import type { Platform, Provisioning } from '../../domain/ports.ts'
import { Trouble } from '../../domain/trouble.ts'
import type { PlatformAddress, PlatformHttp } from './platform-http.ts'

export function platformClient(http: PlatformHttp, address: PlatformAddress): Platform {
  const connections = '/integrations/connections'
  const functions = '/functions'

  /** Creates, or finds that an earlier try of ours already did. Somebody else's thing is never touched. */
  const createOrFind = async (path: string, name: string, at: Provisioning, document: unknown): Promise<unknown> => {
    const created = await http.send('POST', path, at.workspace, document)
    if (created.status < 300) return created.body
    if (created.status === 404) throw new Trouble('platform_refused', undefined, 'workspace')
    const found = await http.send('GET', `${path}/${name}`, at.workspace)
    // Deleted between the two calls: the next try creates it.
    if (found.status === 404) throw new Trouble('platform_unavailable', {}, 'vanished')
    if (!isOurs(found.body, at)) throw new Trouble('name_taken')
    return found.body
  }

  return {
    async createConnection(at, { client, refreshToken }) {
      const document: IntegrationConnectionInput = {
        metadata: metadataOf(at.connectionName, at),
        spec: {
          integration: at.integration,
          secret: {
            CLIENT_ID: client.id,
            CLIENT_SECRET: client.secret?.reveal() ?? '',
            REFRESH_TOKEN: refreshToken.reveal(),
          },
        },
      }
      await createOrFind(connections, at.connectionName, at, document)
    },
    async createFunction(at) {
      const document: McpFunctionInput = {
        metadata: metadataOf(at.functionName, at),
        spec: { type: 'mcp', integrationConnections: [at.connectionName], runtime: { type: 'mcp' } },
      }
      const body = await createOrFind(functions, at.functionName, at, document)
      const url = Found.safeParse(body).data?.metadata.url
      if (!url) throw new Trouble('function_failed', undefined, 'no address')
      return { url }
    },
    // The protocol's library is large: the first link loads it, not the start.
    async verifyFunction({ functionUrl }) {
      const { listTools } = await import('./list-tools.ts')
      return listTools(functionUrl, address, http.headers)
    },
  }
}

const metadataOf = (name: string, at: Provisioning) => ({
  name,
  displayName: `${at.integration} via Causeway`,
  labels: { [ownershipLabel]: at.connectionId },
})

/** The few members of an answer that we read; a platform may send any others. */
const Found = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()).optional(), url: z.url().optional() }),
})

const isOurs = (body: unknown, at: Provisioning): boolean =>
  Found.safeParse(body).data?.metadata.labels?.[ownershipLabel] === at.connectionId
