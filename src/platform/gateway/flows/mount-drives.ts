import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { ControlPlane } from '../domain/ports.ts'
import { withDrive, withoutDrive } from '../domain/sandbox/sandbox-drives.ts'
import { type Mount, running, type Workload } from '../domain/workload.ts'

export type MountDrives = ReturnType<typeof mountDrives>

type Needs = Pick<ControlPlane, 'findWorkload' | 'findStorage' | 'changeDrives'>

/** Drives of a sandbox while it runs. They stand in its spec, so an update that shall keep them names them. */
export const mountDrives = ({ findWorkload, findStorage, changeDrives }: Needs) => {
  const changed = async (member: Member, name: string, decide: (sandbox: Workload) => Mount[]) =>
    running(await changeDrives(member, name, (sandbox) => decide(running(sandbox, 'sandbox'))), 'sandbox').drives
  return {
    list: async ({ workspace }: Member, name: string): Promise<Mount[]> =>
      running(await findWorkload(workspace, 'sandbox', name), 'sandbox').drives,

    async mount(member: Member, name: string, mount: Mount): Promise<Mount[]> {
      const assertDriveExists = async () => {
        const found = await findStorage(member.workspace, 'drive', [mount.name])
        // Not the code of a missing workload: a client would create its sandbox again.
        if (!found.has(mount.name)) throw new Failure('input_invalid', 'No drive has this name.')
      }
      await assertDriveExists()
      const mounted = await changed(member, name, (sandbox) => withDrive(sandbox, mount))
      // Deleted in the meantime: from here on it could not be, so it is looked for once more.
      await assertDriveExists().catch(async (error) => {
        await changed(member, name, (sandbox) => withoutDrive(sandbox, mount.mountPath))
        throw error
      })
      return mounted
    },

    unmount: (member: Member, name: string, path: string): Promise<Mount[]> =>
      changed(member, name, (sandbox) => withoutDrive(sandbox, path)),
  }
}
