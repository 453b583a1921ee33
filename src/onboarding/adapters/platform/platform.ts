// Domain words to the platform's documents, and back.
import type { Platform, Provisioning } from '../../domain/outside-ports.ts'
import { Trouble } from '../../domain/trouble.ts'
import { connectionDocument, functionDocument, functionUrlOf, isOurs, paths } from './documents.ts'
import type { PlatformAddress, PlatformHttp } from './platform-http.ts'

export function platformClient(http: PlatformHttp, address: PlatformAddress): Platform {
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
    async createConnection(at, grant) {
      await createOrFind(paths.connections, at.connectionName, at, connectionDocument(at, grant))
    },
    async createFunction(at) {
      return functionUrlOf(await createOrFind(paths.functions, at.functionName, at, functionDocument(at)))
    },
    // The protocol's library is large: the first link loads it, not the start.
    async verifyFunction({ functionUrl }) {
      const { listTools } = await import('./mcp.ts')
      return listTools(functionUrl, address, http.headers)
    },
  }
}
