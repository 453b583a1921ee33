import type { McpFunctionInput } from '../../../../contract/control-plane/workloads.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { Platform, Provisioning } from '../../../domain/ports/platform.ts'
import { connectionDocument, functionDocument, functionUrlOf, isOurs, paths, type Words } from './documents.ts'
import { stateIn } from './function-state.ts'
import type { PlatformAddress, PlatformHttp } from './platform-http.ts'

export function platformClient(http: PlatformHttp, address: PlatformAddress, words: Words): Platform {
  const send = (method: keyof typeof verbs, path: string, at: Provisioning, body?: unknown) =>
    http.send(method, path, at.workspace, body, { by: at, call: `${kindAt(path)}_${verbs[method]}` })

  /** Creates a resource, or finds the one that an earlier attempt created. Never touches foreign resources. */
  const createOrFind = async (path: string, name: string, at: Provisioning, document: unknown): Promise<unknown> => {
    const created = await send('POST', path, at, document)
    if (created.status < 300) return created.body
    if (created.status === 404) throw new DependencyError('platform_refused', { detail: 'workspace' })
    const found = await send('GET', `${path}/${name}`, at)
    if (found.status === 404) throw new DependencyError('platform_unavailable', { retry: {}, detail: 'vanished' })
    if (!isOurs(found.body, at)) throw new DependencyError('name_taken')
    return found.body
  }

  const createConnection: Platform['createConnection'] = async (at, grant) => {
    await createOrFind(paths.connections, at.connectionName, at, connectionDocument(at, grant, words))
  }

  const createFunction: Platform['createFunction'] = async (at) =>
    functionUrlOf(await createOrFind(paths.functions, at.functionName, at, functionDocument(at, words)))

  const look = async (path: string, at: Provisioning): Promise<boolean> => {
    const found = await send('GET', path, at)
    if (found.status === 404) return false
    if (!isOurs(found.body, at)) throw new DependencyError('name_taken')
    return true
  }

  const remove = async (path: string, at: Provisioning): Promise<void> => {
    if (!(await look(path, at))) return
    const { status } = await send('DELETE', path, at)
    // The resource that uses it may be about to be deleted.
    if (status === 409) throw new DependencyError('platform_unavailable', { retry: {}, detail: 'in use' })
  }

  const putFunction = async (at: Provisioning): Promise<{ url: string }> => {
    const path = `${paths.functions}/${at.functionName}`
    const document: McpFunctionInput = functionDocument(at, words)
    const put = await send('PUT', path, at, document).catch(undefinedIfNoPut)
    if (!put) {
      await remove(path, at)
      return createFunction(at)
    }
    if (put.status >= 300) throw new DependencyError('platform_unavailable', { retry: {}, detail: String(put.status) })
    return functionUrlOf(put.body)
  }

  return {
    createConnection,
    findConnection: async (at) => ({ isThere: await look(`${paths.connections}/${at.connectionName}`, at) }),
    createFunction,
    async verifyFunction(at) {
      const { listTools } = await import('./mcp.ts')
      return listTools(at.functionUrl, { address, headers: http.headers, by: at })
    },
    async replaceConnection(at, grant) {
      const path = `${paths.connections}/${at.connectionName}`
      if (!(await look(path, at))) return createConnection(at, grant)
      const { status } = await send('PUT', path, at, connectionDocument(at, grant, words))
      if (status === 404) throw new DependencyError('platform_unavailable', { retry: {}, detail: 'vanished' })
      if (status === 409) throw new DependencyError('platform_unavailable', { retry: {}, detail: 'conflict' })
    },
    async pointFunction(at) {
      const isThere = await look(`${paths.functions}/${at.functionName}`, at)
      return isThere ? putFunction(at) : createFunction(at)
    },
    async restartFunction(at, { isDue }) {
      const found = await send('GET', `${paths.functions}/${at.functionName}`, at)
      if (found.status === 404) {
        await createFunction(at)
        return { message: 'it was not on the platform' }
      }
      if (!isOurs(found.body, at)) throw new DependencyError('name_taken')
      const { status, message } = stateIn(found.body)
      if (status !== 'failed') return { message: undefined }
      if (isDue) await putFunction(at)
      return { message }
    },
    async nameFunction(at) {
      const path = `${paths.functions}/${at.functionName}`
      if (await look(path, at)) await send('PUT', path, at, functionDocument(at, words)).catch(undefinedIfNoPut)
    },
    deleteFunction: (at) => remove(`${paths.functions}/${at.functionName}`, at),
    deleteConnection: (at) => remove(`${paths.connections}/${at.connectionName}`, at),
    async tryTool(at, tool) {
      const { tryTool } = await import('./mcp.ts')
      return tryTool(at.functionUrl, { address, headers: http.headers, by: at }, tool)
    },
  }
}

const verbs = { GET: 'read', POST: 'create', PUT: 'replace', DELETE: 'delete' } as const

const kindAt = (path: string) => (path.startsWith(paths.functions) ? 'function' : 'connection')

/** A platform without PUT on functions: delete and create. */
function undefinedIfNoPut(error: unknown): undefined {
  if (error instanceof DependencyError && /^(405|501)\b/.test(error.detail)) return undefined
  throw error
}
