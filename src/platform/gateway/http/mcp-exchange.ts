// A request of the protocol's library as flows see it: what it can be told while it is under way.
import { LOG_LEVEL_META_KEY, type ServerContext } from '@modelcontextprotocol/server'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import type { Exchange, JsonObject } from '../domain/vendor/vendor-mcp.ts'

export function exchangeOf({ mcpReq }: ServerContext, session: string | undefined): Exchange {
  const { signal, _meta: { progressToken, ...meta } = {}, envelope } = mcpReq
  const logLevel = (envelope as JsonObject | undefined)?.[LOG_LEVEL_META_KEY]
  const tell = (method: string, params: JsonObject) =>
    void mcpReq.notify({ method, params } as never).catch(ignoreError('the client has left'))
  const log = ({ level, data, logger }: JsonObject) =>
    logLevel === undefined
      ? tell('notifications/message', { level, data, logger })
      : void mcpReq.log(level as never, data, logger as string | undefined).catch(ignoreError('the client has left'))
  return {
    signal,
    session,
    meta,
    logLevel: logLevel === undefined ? undefined : String(logLevel),
    ...(progressToken !== undefined && {
      onProgress: (progress) => tell('notifications/progress', { ...progress, progressToken }),
    }),
    // The newer protocol has no log unless a request asks for it; the older one knows the level by the session.
    ...((logLevel !== undefined || session !== undefined) && { onLog: log }),
  }
}
