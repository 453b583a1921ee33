import { type Request, type Response, Router } from 'express'
import { DriveMount } from '../../../contract/gateway/sandboxes.ts'
import { readJson } from '../../../kit/http/json-body.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { Mount } from '../domain/workload.ts'
import type { MountDrives } from '../flows/mount-drives.ts'

const largestBody = 16 * 1024

type Answer = (member: Member, sandbox: string, req: Request) => Promise<Mount[]>

/** Drives of a sandbox while it runs; its host name was turned into a path before this. */
export function sandboxDriveRoutes(drives: MountDrives, guards: Guards): Router {
  const serve = (scope: string, answer: Answer) => async (req: Request, res: Response) => {
    const member = await enterGateway(req, guards, { scope, workspace: String(req.params.workspace) })
    const caller = { ...member.caller, from: { requestId: requestIdOf(res), address: req.ip } }
    res.json({ drives: await answer({ ...member, caller }, String(req.params.name), req) })
  }
  const all = '/:workspace/sandboxes/:name/drives'
  return Router()
    .get(all, serve('sandboxes:get', drives.list))
    .post(
      all,
      serve('sandboxes:control', async (member, name, req) =>
        drives.mount(member, name, DriveMount.parse(await readJson(req, largestBody))),
      ),
    )
    .delete(
      `${all}/*path`,
      serve('sandboxes:control', (member, name, req) =>
        drives.unmount(member, name, [req.params.path ?? []].flat().join('/')),
      ),
    )
}
