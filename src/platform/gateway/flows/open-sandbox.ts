import { Secret } from '../../../kit/crypto/secret.ts'
import type { AccountDoor, OpenAccounts } from '../../shared/domain/account-door.ts'
import type { KeptContainer } from '../../shared/domain/engine.ts'
import { assertNoLoaderVariables } from '../../shared/domain/environment.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { ControlPlane } from '../domain/ports.ts'
import type {
  Listing,
  NewCommand,
  OpenFiles,
  OpenSandbox,
  RunSandboxCommand,
  SandboxCommandEnd,
  SandboxFiles,
  ToolFiles,
} from '../domain/sandbox/sandbox.ts'
import {
  type Folder,
  foldersOf,
  isGone,
  isSystem,
  locationOf,
  mountPointsOf,
  mountsBelow,
  pathOf,
  stepsOf,
} from '../domain/sandbox/sandbox-path.ts'
import { type Mount, running, type Workload } from '../domain/workload.ts'

type Ports = Pick<ControlPlane, 'findWorkload' | 'findStorage' | 'sandboxesWithImages'> & {
  files: SandboxFiles
  runCommand: RunSandboxCommand
  openAccounts: OpenAccounts
  isContainer(image: string): boolean
  filesIn(kept: KeptContainer): ToolFiles
}

export async function openSandbox(ports: Ports, workspace: string, name: string): Promise<OpenSandbox> {
  const sandbox = running(await ports.findWorkload(workspace, 'sandbox', name), 'sandbox')
  if (ports.isContainer(sandbox.image)) return inContainer(ports, workspace, sandbox)
  const own = await ports.files.folderOf('sandbox', workspace, sandbox.id)
  const mounts = [
    ...(await mounted(ports, workspace, 'volume', sandbox.volumes)),
    ...(await mounted(ports, workspace, 'drive', sandbox.drives)),
  ]
  const folders = foldersOf(own, mounts)
  return opened(ports, { workspace, sandbox, folders, files: ports.files, kept: undefined })
}

function opened(ports: Ports, parts: SandboxParts): OpenSandbox {
  const { sandbox, files, folders } = parts
  const list = (path: string, deep: boolean) => listing(files, folders, stepsOf(path), deep, { left: maxEntries })
  const run = (command: NewCommand) => runIn(ports, parts, command)
  const at = (path: string) => locationOf(folders, stepsOf(path))
  const byPath: OpenFiles = {
    read: async (path, maxBytes) => files.read(at(path), maxBytes),
    write: async (path, content) => files.write(at(path), content),
    append: async (path, content) => files.append(at(path), content),
    makeFolder: async (path) => files.makeFolder(at(path)),
    remove: async (path) => files.remove(at(path)),
  }
  return { sandbox, kept: parts.kept, list, files: byPath, run }
}

async function runIn(ports: Ports, parts: SandboxParts, command: NewCommand): Promise<SandboxCommandEnd> {
  const { workspace, sandbox, folders, kept } = parts
  const env = new Secret({ ...sandbox.envs.reveal(), ...command.env })
  assertNoLoaderVariables(env.reveal())
  if (!kept) await makeMountPoints(ports.files, folders)
  const door = await doorFor(ports, workspace, sandbox, command.timeoutSeconds)
  const { name, memoryMb } = sandbox
  return ports
    .runCommand({ ...command, workspace, sandbox: name, kept, env, folders, memoryMb, door })
    .finally(() => door?.close())
}

/** Its files are those of the container, where the engine mounts volumes. */
async function inContainer(ports: Ports, workspace: string, sandbox: Workload): Promise<OpenSandbox> {
  const [found] = await ports.sandboxesWithImages(sandbox.id)
  if (!found) throw new Failure('resource_unknown', 'No sandbox has this name.')
  const { isWanted: _, ...kept } = found
  return opened(ports, { workspace, sandbox, folders: foldersOf('', []), files: ports.filesIn(kept), kept })
}

async function mounted(ports: Ports, workspace: string, kind: 'volume' | 'drive', mounts: readonly Mount[]) {
  const found = await ports.findStorage(
    workspace,
    kind,
    mounts.map(({ name }) => name),
  )
  return Promise.all(
    mounts.map(async (mount) => {
      const { id, maxMb } = found.get(mount.name) ?? {}
      return { ...mount, maxMb, folder: id && (await ports.files.folderOf(kind, workspace, id)) }
    }),
  )
}

const maxEntries = 10_000

/** `budget` limits the whole response. A truncated folder marks itself and all its parents. */
async function listing(
  files: Pick<SandboxFiles, 'list'>,
  folders: readonly Folder[],
  steps: string[],
  deep: boolean,
  budget: { left: number },
): Promise<Listing> {
  const found = await files.list(locationOf(folders, steps))
  const mounts = mountsBelow(folders, steps)
  // Not `resource_unknown`: a client would create its sandbox again.
  if (!found && mounts.length === 0) throw new Failure('route_unknown', 'Folder not found.')
  const isShown = (name: string) => steps.length > 0 || !isSystem([name])
  const own = found?.files.filter(({ name }) => isShown(name)) ?? []
  const shown = taken(own, budget).map((file) => ({ path: pathOf([...steps, file.name]), ...file }))
  const names = [...new Set([...(found?.folders ?? []).filter(isShown), ...mounts])].sort()
  const below: Array<Pick<Listing, 'path' | 'name' | 'truncated'>> = []
  for (const name of taken(names, budget)) {
    const inner = [...steps, name]
    const folder = { path: pathOf(inner), name }
    if (!deep) below.push(folder)
    else if (isGone(folders, inner)) below.push({ ...folder, ...nothing, truncated: true })
    else below.push(await listing(files, folders, inner, true, budget))
  }
  const isCut = found?.cut || shown.length < own.length || below.length < names.length
  const truncated = isCut || below.some((folder) => folder.truncated)
  const name = steps.at(-1) ?? ''
  return { path: pathOf(steps), name, files: shown, subdirectories: below, ...(truncated && { truncated }) }
}

const nothing = { files: [], subdirectories: [] }

function taken<T>(entries: readonly T[], budget: { left: number }): T[] {
  const some = entries.slice(0, budget.left)
  budget.left -= some.length
  return some
}

type SandboxParts = {
  workspace: string
  sandbox: Workload
  folders: readonly Folder[]
  files: ToolFiles
  kept: KeptContainer | undefined
}

async function doorFor(
  { findWorkload, openAccounts }: Ports,
  workspace: string,
  { id, name, functions }: Workload,
  lifeSeconds: number,
): Promise<AccountDoor | undefined> {
  if (functions.length === 0) return undefined
  const current = async () => {
    const found = await findWorkload(workspace, 'sandbox', name)
    return found?.id === id ? found.functions : []
  }
  return openAccounts({ kind: 'sandbox', id, name, workspace, functions: current, lifeSeconds })
}

/** Creates mount points without following links. The mounting program would follow links that a command left. */
async function makeMountPoints(files: Ports['files'], folders: readonly Folder[]): Promise<void> {
  for (const { path, location } of mountPointsOf(folders)) {
    if (await files.makeMountPoint(location)) continue
    const problem = 'the path contains a file, a link, or a read-only mount without this folder'
    throw new Failure('input_invalid', `Cannot mount at ${path}: ${problem}.`)
  }
  // Only for programs that expect them, so it does not matter what else a command puts there.
  for (const path of ['/tmp', '/home/user']) await files.makeMountPoint(locationOf(folders.slice(0, 1), stepsOf(path)))
}
