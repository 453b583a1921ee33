import type { Request, Response, Router } from 'express'
import { DriveMount, type MountedDrives, NamedDriveMount } from '../../../../contract/gateway/sandboxes.ts'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { readJson } from '../../../../kit/http/json-body.ts'
import { requestIdOf } from '../../../../kit/http/request-id.ts'
import type { Member } from '../../../shared/domain/caller.ts'
import { enterGateway } from '../../../shared/http/enter-gateway.ts'
import type { Guards } from '../../../shared/http/operation.ts'
import type { Mount } from '../../domain/workload.ts'
import { listDrives, mountDrive, unmountDrive } from '../../flows/mount-drives.ts'

type Ports = Parameters<typeof mountDrive>[0]

const maxBodyBytes = 16 * 1024

type Answer = (member: Member, sandbox: string, req: Request) => Promise<unknown>

/** `/drives/mount` does the same with the members that published clients use. */
export function driveRoutes(ports: Ports, guards: Guards): Router {
  const serve = (scope: string, answer: Answer) => async (req: Request, res: Response) => {
    const member = await enterGateway(req, guards, { scope, workspace: String(req.params.workspace) })
    const caller = { ...member.caller, from: { requestId: requestIdOf(res), address: req.ip } }
    res.json(await answer({ ...member, caller }, String(req.params.name), req))
  }
  const all = '/:workspace/sandboxes/:name/drives'
  return exactRouter()
    .get(
      `${all}/mount`,
      serve('sandboxes:get', async (member, name) => named(await listDrives(ports, member, name))),
    )
    .post(
      `${all}/mount`,
      serve('sandboxes:control', async (member, name, req) => {
        const mount = NamedDriveMount.parse(await readJson(req, maxBodyBytes))
        await mountDrive(ports, member, name, { ...mount, name: mount.driveName })
        return { success: true, message: 'The drive is mounted.', drivePath: '/', ...mount }
      }),
    )
    .delete(
      `${all}/mount/*path`,
      serve('sandboxes:control', async (member, name, req) => {
        const mountPath = `/${pathIn(req)}`
        await unmountDrive(ports, member, name, mountPath)
        return { success: true, message: 'The drive is unmounted.', mountPath }
      }),
    )
    .get(
      all,
      serve('sandboxes:get', async (member, name) => ({ drives: await listDrives(ports, member, name) })),
    )
    .post(
      all,
      serve('sandboxes:control', async (member, name, req) => {
        const mount = DriveMount.parse(await readJson(req, maxBodyBytes))
        return { drives: await mountDrive(ports, member, name, mount) }
      }),
    )
    .delete(
      `${all}/*path`,
      serve('sandboxes:control', async (member, name, req) => ({
        drives: await unmountDrive(ports, member, name, pathIn(req)),
      })),
    )
}

const pathIn = ({ params }: Request): string => [params.path ?? []].flat().join('/')

const named = (mounts: readonly Mount[]): MountedDrives => ({
  mounts: mounts.map(({ name: driveName, mountPath, readOnly }) => ({
    driveName,
    drivePath: '/',
    mountPath,
    readOnly,
  })),
})
