import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { ControlPlane } from '../domain/ports.ts'
import { withDrive, withoutDrive } from '../domain/sandbox/sandbox.ts'
import { type Mount, running, type Workload } from '../domain/workload.ts'

type Ports = Pick<ControlPlane, 'findWorkload' | 'findStorage' | 'changeDrives'>

export async function listDrives({ findWorkload }: Ports, { workspace }: Member, name: string): Promise<Mount[]> {
  return running(await findWorkload(workspace, 'sandbox', name), 'sandbox').drives
}

export async function mountDrive(ports: Ports, member: Member, name: string, mount: Mount): Promise<Mount[]> {
  const assertDriveExists = async () => {
    const found = await ports.findStorage(member.workspace, 'drive', [mount.name])
    // Not `resource_unknown`: a client would create its sandbox again.
    if (!found.has(mount.name)) throw new Failure('input_invalid', 'No drive has this name.')
  }
  await assertDriveExists()
  const mounted = await changed(ports, member, name, (sandbox) => withDrive(sandbox, mount))
  // The drive may have been deleted before the mount was stored; afterwards it cannot be.
  await assertDriveExists().catch(async (error) => {
    await unmountDrive(ports, member, name, mount.mountPath)
    throw error
  })
  return mounted
}

export const unmountDrive = (ports: Ports, member: Member, name: string, path: string): Promise<Mount[]> =>
  changed(ports, member, name, (sandbox) => withoutDrive(sandbox, path))

/** Changes the sandbox's spec, so a later update must list the drives to keep them. */
async function changed({ changeDrives }: Ports, member: Member, name: string, decide: (sandbox: Workload) => Mount[]) {
  return running(await changeDrives(member, name, (sandbox) => decide(running(sandbox, 'sandbox'))), 'sandbox').drives
}
