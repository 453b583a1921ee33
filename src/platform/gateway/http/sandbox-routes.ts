import { type Request, type RequestHandler, type Response, Router } from 'express'
import { DriveMount } from '../../../contract/gateway/sandboxes.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { readJson } from '../../../kit/http/json-body.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { beforeEnd } from '../../shared/http/before-end.ts'
import { assertOwnOrigin, enterGateway, reenterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { Mount, Workload } from '../domain/workload.ts'
import { type MeteredRun, meterRun } from '../flows/meter-run.ts'
import { listDrives, mountDrive, unmountDrive } from '../flows/mount-drives.ts'
import { openSandbox } from '../flows/open-sandbox.ts'
import type { ServeMcp } from './serve-mcp.ts'

type Ports = Parameters<typeof openSandbox>[0] & Parameters<typeof mountDrive>[0] & Parameters<typeof meterRun>[0]

type Parts = { ports: Ports; guards: Guards; serve: ServeMcp; publicUrl: string }

/** By path (`/acme/sandboxes/box/…`) and by host (`sbx-box-acme.…`). */
export function sandboxRoutes({ ports, guards, serve, publicUrl }: Parts): Router {
  const open = async (req: Request, scope: string) => {
    const member = await enterGateway(req, guards, { scope, workspace: String(req.params.workspace) })
    const opened = await openSandbox(ports, member.workspace, String(req.params.name))
    return { member, opened }
  }
  const list =
    (deep: boolean): RequestHandler =>
    async (req, res) => {
      const { member, opened } = await open(req, 'sandboxes:get')
      meter(ports, member.workspace, opened.sandbox, res)
      res.json(await opened.list(pathIn(req, deep), deep))
    }
  const serveTools: RequestHandler = async (req, res) => {
    if (req.headers.origin) assertOwnOrigin(req, publicUrl)
    const { member, opened } = await open(req, 'sandboxes:control')
    // A GET is not billed: it waits for messages or reads a response that was billed before.
    const run = req.method === 'POST' ? meter(ports, member.workspace, opened.sandbox, res) : undefined
    const target = { workspace: member.workspace, kind: 'sandbox' as const, name: opened.sandbox.name }
    const enterAgain = async () => {
      await reenterGateway(req, guards, { scope: 'sandboxes:control', workspace: member.workspace })
      const { sandbox } = await openSandbox(ports, member.workspace, opened.sandbox.name)
      if (sandbox.id !== opened.sandbox.id) throw new Failure('resource_unknown', 'No sandbox has this name.')
    }
    await serve(target, { member, enterAgain }, run?.billing(opened.mcp) ?? opened.mcp, req, res)
  }
  return Router()
    .use(byHost(ports, guards))
    .get(
      ['/:workspace/sandboxes/:name/filesystem/tree', '/:workspace/sandboxes/:name/filesystem/tree/*path'],
      list(true),
    )
    .get(['/:workspace/sandboxes/:name/filesystem', '/:workspace/sandboxes/:name/filesystem/*path'], list(false))
    .use(exactRouter().all('/:workspace/sandboxes/:name/mcp', serveTools))
    .use(driveRoutes(ports, guards))
}

/** Decodes the raw URL, because the router resolves dots. Skips the prefix by position. */
function pathIn({ url }: Request, deep: boolean): string {
  const [pathname = ''] = url.split('?')
  const steps = pathname.split('/').slice(deep ? 6 : 5)
  try {
    return decodeURIComponent(steps.join('/'))
  } catch {
    throw new Failure('input_invalid', 'The path is not valid.')
  }
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
  const run = meterRun(ports, {
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

const maxBodyBytes = 16 * 1024

type Answer = (member: Member, sandbox: string, req: Request) => Promise<Mount[]>

function driveRoutes(ports: Ports, guards: Guards): Router {
  const serve = (scope: string, answer: Answer) => async (req: Request, res: Response) => {
    const member = await enterGateway(req, guards, { scope, workspace: String(req.params.workspace) })
    const caller = { ...member.caller, from: { requestId: requestIdOf(res), address: req.ip } }
    res.json({ drives: await answer({ ...member, caller }, String(req.params.name), req) })
  }
  const all = '/:workspace/sandboxes/:name/drives'
  return exactRouter()
    .get(
      all,
      serve('sandboxes:get', (member, name) => listDrives(ports, member, name)),
    )
    .post(
      all,
      serve('sandboxes:control', async (member, name, req) =>
        mountDrive(ports, member, name, DriveMount.parse(await readJson(req, maxBodyBytes))),
      ),
    )
    .delete(
      `${all}/*path`,
      serve('sandboxes:control', (member, name, req) =>
        unmountDrive(ports, member, name, [req.params.path ?? []].flat().join('/')),
      ),
    )
}
