// The gateway's part of the wiring list.
import { type RequestHandler, Router } from 'express'
import type pg from 'pg'
import { closeAll } from '../kit/program.ts'
import type { SealedBox } from '../kit/sealed-box.ts'
import { sharedLoad } from '../kit/shared-load.ts'
import type { Config } from './config.ts'
import type { Resources } from './control-plane/domain/ports.ts'
import { serveGateway } from './control-plane/flows/serve-gateway.ts'
import { postgresAccessTokens } from './gateway/adapters/access-tokens.ts'
import { postgresMcpEvents } from './gateway/adapters/mcp-events.ts'
import { postgresMcpSessions } from './gateway/adapters/mcp-sessions.ts'
import { thirdParty } from './gateway/adapters/third-party.ts'
import { getAccessToken } from './gateway/flows/access-token.ts'
import { callTool } from './gateway/flows/call-tool.ts'
import { openFunction } from './gateway/flows/open-function.ts'
import { mcpRoutes } from './gateway/http/mcp-routes.ts'
import { serveMcp } from './gateway/http/serve-mcp.ts'
import type { Guards } from './shared/http/operation.ts'
import { postgresUsage } from './shared/postgres/usage-events.ts'

export type GatewayAdapters = ReturnType<typeof openGatewayAdapters>

export function openGatewayAdapters(pool: pg.Pool, vault: SealedBox) {
  const outside = thirdParty()
  const usage = postgresUsage(pool)
  return {
    accessTokens: postgresAccessTokens(pool, vault),
    thirdParty: outside,
    mcpSessions: postgresMcpSessions(pool),
    mcpEvents: postgresMcpEvents(pool),
    usage,
    closeGateway: closeAll(outside.close, usage.close),
  }
}

type Needs = GatewayAdapters & {
  resources: Resources
  vault: SealedBox
  now: () => Date
  pause: (ms: number) => Promise<void>
}

export function assembleGateway(config: Config, adapters: Needs, guards: Guards) {
  const workloads = serveGateway(adapters)
  const accessToken = getAccessToken({ ...adapters, workloads })
  const call = callTool({ ...adapters, accessToken, workloads })
  const serve = serveMcp(adapters)
  const open = openFunction({ workloads, integrations: config.integrations, callTool: call })
  const byPlace = sharedLoad((place) => open(...(JSON.parse(place) as [string, string])))
  const { usage, now } = adapters
  const routes: RequestHandler = Router().use(
    mcpRoutes({
      flows: { openFunction: (workspace, name) => byPlace(JSON.stringify([workspace, name])), usage, now },
      guards,
      serve,
      publicUrl: config.publicUrl,
    }),
  )
  const sweep = setInterval(() => {
    Promise.all([adapters.mcpSessions.sweep(), adapters.mcpEvents.sweep()]).catch(() => {})
  }, 60_000)
  sweep.unref()
  return { routes, close: () => clearInterval(sweep) }
}
