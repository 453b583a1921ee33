import { Router } from 'express'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { gigabyteSeconds, type Usage } from '../../shared/domain/usage.ts'
import { beforeEnd } from '../../shared/http/before-end.ts'
import { assertOwnOrigin, enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { OpenMcp } from '../domain/mcp.ts'
import type { ServeMcp } from './serve-mcp.ts'

export type McpFlows = {
  openFunction(workspace: string, name: string): Promise<OpenMcp>
  usage: Usage
  now: () => Date
}

type Parts = { flows: McpFlows; guards: Guards; serve: ServeMcp; publicUrl: string }

/** MCP servers of functions. */
export function mcpRoutes({ flows, guards, serve, publicUrl }: Parts): Router {
  return Router().all('/:workspace/functions/:name/mcp', async (req, res) => {
    assertOwnOrigin(req, publicUrl)
    const member = await enterGateway(req, guards, 'functions:get', req.params.workspace)
    const { workspace } = member
    const mcp = await flows.openFunction(workspace, req.params.name)
    const startedAt = flows.now()
    if (req.method === 'POST') {
      beforeEnd(res, () => flows.usage.record(runtimeOf(mcp, workspace, requestIdOf(res), startedAt, flows.now())))
    }
    await serve({ workspace, kind: 'function', name: mcp.name }, member, mcp, req, res)
  })
}

const runtimeOf = (mcp: OpenMcp, workspace: string, eventId: string, startedAt: Date, endedAt: Date) => ({
  eventId,
  workspace,
  resourceType: 'mcp_server' as const,
  resourceName: mcp.name,
  resourceUuid: mcp.id,
  dimension: 'mcp_server_compute_runtime_gbs' as const,
  quantity: gigabyteSeconds(mcp.memoryMb, startedAt, endedAt),
  startedAt,
  endedAt,
})
