import { type Request, type RequestHandler, type Response, Router } from 'express'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { beforeEnd } from '../../shared/http/before-end.ts'
import { assertOwnOrigin, enterGateway, reenterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import { noteEveryMs, type SandboxPorts, type SandboxUses } from '../domain/sandbox/sandbox.ts'
import type { Workload } from '../domain/workload.ts'
import { type MeteredRun, meterLongRun, meterRun, runOf } from '../flows/meter-run.ts'
import { openSandbox } from '../flows/open-sandbox.ts'
import { processTools } from '../flows/sandbox/process-tools.ts'
import { sandboxTools, toolServer } from '../flows/sandbox/sandbox-tools.ts'
import { driveRoutes } from './sandbox/drive-routes.ts'
import { fileRoutes } from './sandbox/file-routes.ts'
import { portRoutes } from './sandbox/port-routes.ts'
import { previewAccess } from './sandbox/preview-access.ts'
import { processRoutes } from './sandbox/process-routes.ts'
import type { ServeMcp } from './serve-mcp.ts'

type Ports = Parameters<typeof openSandbox>[0] &
  Parameters<typeof driveRoutes>[0] &
  Parameters<typeof meterRun>[0] &
  Parameters<typeof processRoutes>[0]['ports'] &
  Parameters<typeof previewAccess>[0] & {
    sandboxPorts: SandboxPorts
    sandboxUses: SandboxUses
    maxMs: number
  }

type Parts = { ports: Ports; guards: Guards; serve: ServeMcp; publicUrl: string }

/** By path (`/acme/sandboxes/box/…`) and by host (`sbx-box-acme.…`). */
export function sandboxRoutes({ ports, guards, serve, publicUrl }: Parts): Router {
  const previews = previewAccess(ports, guards)
  const open = async (req: Request, scope: string, isUse = true) => {
    const entry = { scope, workspace: String(req.params.workspace) }
    const preview = previews.of(req)
    const member = preview ? undefined : await enterGateway(req, guards, entry)
    const { workspace } = member ?? entry
    const opened = await openSandbox(ports, workspace, String(req.params.name))
    if (isUse) await useUntilClosed(ports.sandboxUses, opened.sandbox.id, req.res)
    const enterAgain = async () => {
      await (preview ? preview.again() : reenterGateway(req, guards, { scope, workspace }))
      const { sandbox } = await openSandbox(ports, workspace, opened.sandbox.name)
      if (sandbox.id !== opened.sandbox.id) throw new Failure('resource_unknown', 'No sandbox has this name.')
    }
    return { workspace, member, opened, enterAgain }
  }
  const serveTools: RequestHandler = async (req, res) => {
    if (req.headers.origin) assertOwnOrigin(req, publicUrl)
    // A GET waits for messages, or reads a response.
    const isUse = req.method === 'POST'
    const { member, opened, enterAgain } = await open(req, 'sandboxes:control', isUse)
    if (!member) throw new Failure('route_unknown', 'Previews have no MCP server.')
    const mcp = toolServer(opened.sandbox, {
      ...sandboxTools(opened),
      ...processTools(ports, member.workspace, opened),
    })
    const run = isUse ? meter(ports, member.workspace, opened.sandbox, res) : undefined
    const target = { workspace: member.workspace, kind: 'sandbox' as const, name: opened.sandbox.name }
    await serve(target, { member, enterAgain }, run?.billing(mcp) ?? mcp, req, res)
  }
  const shared = { open, meter: (...run: [string, Workload, Response]) => meter(ports, ...run) }
  const meterLong = (workspace: string, sandbox: Workload, res: Response) =>
    meterLongRun(ports, runOf(workspace, sandbox, requestIdOf(res)))
  return Router()
    .use(previews.enter, byHost(ports, guards))
    .use(exactRouter().all('/:workspace/sandboxes/:name/mcp', serveTools))
    .use(driveRoutes(ports, guards))
    .use(processRoutes({ ports, open }))
    .use(fileRoutes({ pause: ports.pause, ...shared }))
    .use(
      portRoutes({ ports: ports.sandboxPorts, headers: guards.headers, maxIdleMs: ports.maxMs, meterLong, ...shared }),
    )
}

/** An open request is a use, also if it takes hours. */
async function useUntilClosed(uses: SandboxUses, sandbox: string, res: Response | undefined): Promise<void> {
  await uses.note(sandbox)
  if (!res || res.closed) return
  const noting = setInterval(() => uses.note(sandbox).catch(ignoreError('the next turn notes it')), noteEveryMs)
  res.once('close', () => clearInterval(noting))
}

/** Both names may contain hyphens, so each split is tried. If two sandboxes match, the request is rejected. */
function byHost(ports: Ports, guards: Guards): RequestHandler {
  return async (req, _res, next) => {
    const [, label] = /^sbx-([a-z0-9-]+)\./.exec(req.headers.host?.toLowerCase() ?? '') ?? []
    if (label === undefined) return next()
    const caller = await guards.identify(req)
    const found: string[] = []
    for (const [name, workspace] of divisionsFor(label, req.get(guards.headers.workspace))) {
      const isThere = await guards
        .enter(caller, workspace)
        .then(() => openSandbox(ports, workspace, name))
        .then(() => true, existsUnavailable)
      if (isThere) found.push(`/${workspace}/sandboxes/${name}`)
    }
    if (found.length > 1) {
      throw new Failure('workspace_ambiguous', 'Two sandboxes have this address. Set the workspace header.')
    }
    if (!found[0]) throw new Failure('resource_unknown', 'No sandbox has this address.')
    req.url = `${found[0]}${req.url}`
    next()
  }
}

function existsUnavailable(error: unknown): boolean {
  const code = error instanceof Failure ? error.code : undefined
  if (code === 'workload_unavailable') return true
  if (code === 'resource_unknown' || code === 'workspace_closed') return false
  throw error
}

function divisionsFor(label: string, meant: string | undefined) {
  const possible = divisions(label).filter(([, workspace]) => meant === undefined || meant === workspace)
  if (possible.length > 0) return possible
  throw new Failure('workspace_ambiguous', 'The workspace header does not match the address.')
}

function divisions(label: string): Array<[name: string, workspace: string]> {
  const parts = label.split('-')
  return parts.slice(1).map((_, at) => [parts.slice(0, at + 1).join('-'), parts.slice(at + 1).join('-')])
}

function meter(ports: Ports, workspace: string, sandbox: Workload, res: Response): MeteredRun {
  const run = meterRun(ports, runOf(workspace, sandbox, requestIdOf(res)))
  beforeEnd(res, run.end)
  return run
}
