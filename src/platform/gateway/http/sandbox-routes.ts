import { type Request, type RequestHandler, type Response, Router } from 'express'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { beforeEnd } from '../../shared/http/before-end.ts'
import { assertOwnOrigin, enterGateway, reenterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { Workload } from '../domain/workload.ts'
import type { MeteredRun, RunDescription } from '../flows/meter-run.ts'
import type { OpenSandbox } from '../flows/open-sandbox.ts'
import type { ServeMcp } from './serve-mcp.ts'

export type SandboxFlows = {
  openSandbox(workspace: string, name: string): Promise<OpenSandbox>
  meterRun(metered: RunDescription): MeteredRun
}

type Parts = { flows: SandboxFlows; guards: Guards; serve: ServeMcp; publicUrl: string }

/** Sandboxes, by path (`/acme/sandboxes/box/…`) and by host (`sbx-box-acme.…`). */
export function sandboxRoutes({ flows, guards, serve, publicUrl }: Parts): Router {
  const open = async (req: Request, scope: string) => {
    const member = await enterGateway(req, guards, { scope, workspace: String(req.params.workspace) })
    const opened = await flows.openSandbox(member.workspace, String(req.params.name))
    return { member, opened }
  }
  const list =
    (deep: boolean): RequestHandler =>
    async (req, res) => {
      const { member, opened } = await open(req, 'sandboxes:get')
      meter(flows, member.workspace, opened.sandbox, res)
      res.json(await opened.list(pathIn(req, deep), deep))
    }
  return Router()
    .use(byHost(flows, guards))
    .get(
      ['/:workspace/sandboxes/:name/filesystem/tree', '/:workspace/sandboxes/:name/filesystem/tree/*path'],
      list(true),
    )
    .get(['/:workspace/sandboxes/:name/filesystem', '/:workspace/sandboxes/:name/filesystem/*path'], list(false))
    .all('/:workspace/sandboxes/:name/mcp', async (req, res) => {
      if (req.headers.origin) assertOwnOrigin(req, publicUrl)
      const { member, opened } = await open(req, 'sandboxes:control')
      // A GET waits for what may come up, or reads once more what was billed when it was asked for.
      const run = req.method === 'POST' ? meter(flows, member.workspace, opened.sandbox, res) : undefined
      const target = { workspace: member.workspace, kind: 'sandbox' as const, name: opened.sandbox.name }
      const enterAgain = async () => {
        await reenterGateway(req, guards, { scope: 'sandboxes:control', workspace: member.workspace })
        const { sandbox } = await flows.openSandbox(member.workspace, opened.sandbox.name)
        if (sandbox.id !== opened.sandbox.id) throw new Failure('resource_unknown', 'No sandbox has this name.')
      }
      await serve(target, { member, enterAgain }, run?.billing(opened.mcp) ?? opened.mcp, req, res)
    })
}

/**
 * Decoded once, from the address as it came: the router would have taken dots for steps. What is before it, as in
 * `/acme/sandboxes/box/filesystem/tree/…`, is counted: names may be the same words.
 */
function pathIn({ url }: Request, deep: boolean): string {
  const [pathname = ''] = url.split('?')
  const steps = pathname.split('/').slice(deep ? 6 : 5)
  try {
    return decodeURIComponent(steps.join('/'))
  } catch {
    throw new Failure('input_invalid', 'The path is not valid.')
  }
}

/**
 * Both names may contain hyphens, so each way to split them is tried, among what the caller may enter; a header says
 * which workspace is meant. Where two sandboxes of the caller have one address, neither is taken for the other.
 */
function byHost({ openSandbox }: SandboxFlows, guards: Guards): RequestHandler {
  return async (req, _res, next) => {
    const [, label] = /^sbx-([a-z0-9-]+)\./.exec(req.headers.host?.toLowerCase() ?? '') ?? []
    if (label === undefined) return next()
    const caller = await guards.identify(req)
    const found: string[] = []
    for (const [name, workspace] of divisionsFor(label, req.get(guards.headers.workspace))) {
      const isThere = await guards
        .enter(caller, workspace)
        .then(() => openSandbox(workspace, name))
        .then(() => true, existsUnavailable)
      if (isThere) found.push(`/${workspace}/sandboxes/${name}`)
    }
    if (found.length > 1) {
      throw new Failure('workspace_ambiguous', 'Two sandboxes have this address: name the workspace by its header.')
    }
    if (!found[0]) throw new Failure('resource_unknown', 'No sandbox has this address.')
    req.url = `${found[0]}${req.url}`
    next()
  }
}

/** The search goes on only if the sandbox does not exist; any other error ends it. */
function existsUnavailable(error: unknown): boolean {
  const code = error instanceof Failure ? error.code : undefined
  if (code === 'workload_unavailable') return true
  if (code === 'resource_unknown' || code === 'workspace_closed') return false
  throw error
}

function divisionsFor(label: string, meant: string | undefined) {
  const possible = divisions(label).filter(([, workspace]) => meant === undefined || meant === workspace)
  if (possible.length > 0) return possible
  throw new Failure('workspace_ambiguous', 'The header names another workspace than the address.')
}

function divisions(label: string): Array<[name: string, workspace: string]> {
  const parts = label.split('-')
  return parts.slice(1).map((_, at) => [parts.slice(0, at + 1).join('-'), parts.slice(at + 1).join('-')])
}

function meter({ meterRun }: SandboxFlows, workspace: string, sandbox: Workload, res: Response): MeteredRun {
  const run = meterRun({
    eventId: requestIdOf(res),
    workspace,
    resourceType: 'sandbox',
    resourceName: sandbox.name,
    resourceUuid: sandbox.id,
    dimension: 'sandbox_compute_runtime_gbs',
    memoryMb: sandbox.memoryMb,
  })
  beforeEnd(res, run.end)
  return run
}
