import type { Router } from 'express'
import type { IssuedAccessToken } from '../../../contract/gateway/access-token.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { ToolCallOutcome } from '../domain/tool-call.ts'
import type { recordCalls } from '../flows/record-calls.ts'
import { accessTokenName, issueAccessToken } from '../flows/relay/issue-access-token.ts'
import type { RelayFunction } from '../flows/relay/relay-request.ts'
import { forWorkspace } from './mcp-routes.ts'

type Ports = Parameters<typeof issueAccessToken>[0] & Parameters<typeof recordCalls>[0]

type Open = (workspace: string, name: string) => Promise<RelayFunction>

export const tokenRoutes = (ports: Ports, openRelay: Open, guards: Guards): Router =>
  exactRouter().post('/:workspace/functions/:name/access-tokens/:host', forWorkspace, async (req, res) => {
    const entry = { scope: 'functions:get', workspace: String(req.params.workspace) }
    const { workspace, caller } = await enterGateway(req, guards, entry)
    const opened = await openRelay(workspace, String(req.params.name))
    const at = ports.now()
    const note = (outcome: ToolCallOutcome) =>
      ports.toolCalls.note({
        at,
        durationMs: ports.now().getTime() - at.getTime(),
        workspace,
        functionName: opened.name,
        functionId: opened.id,
        caller: { kind: caller.kind, id: caller.id, label: caller.label, credential: caller.credential },
        tool: accessTokenName,
        outcome,
        code: undefined,
      })
    try {
      const { expiresAt, apiHosts, ...issued } = await issueAccessToken(
        ports,
        opened,
        String(req.params.host).toLowerCase(),
      )
      note('succeeded')
      const body: IssuedAccessToken = { ...issued, expiresAt: expiresAt.toISOString(), apiHosts: [...apiHosts] }
      res.set('Cache-Control', 'no-store').json(body)
    } catch (error) {
      note(error instanceof Failure && refusals.has(error.code) ? 'refused' : 'failed')
      throw error
    }
  })

const refusals = new Set(['input_invalid', 'role_missing', 'too_many_requests'])
