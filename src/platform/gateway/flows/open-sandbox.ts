import { z } from 'zod'
import type { AccountDoor, OpenAccounts } from '../../shared/domain/account-door.ts'
import type { KeptContainer } from '../../shared/domain/engine.ts'
import { assertNoLoaderVariables } from '../../shared/domain/environment.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { answered, failed, type McpTool, type OpenMcp, type ToolResult } from '../domain/mcp.ts'
import type { ControlPlane } from '../domain/ports.ts'
import type { RunSandboxCommand, SandboxFiles } from '../domain/sandbox/sandbox.ts'
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
import { contentOf, typeByName } from '../domain/tool-content.ts'
import { type Mount, running, type Workload } from '../domain/workload.ts'

/** A tree includes all levels, a listing one. */
export type Listing = { path: string; name: string; files: object[]; subdirectories: object[]; truncated?: true }

export type OpenSandbox = {
  sandbox: Workload
  list(path: string, deep: boolean): Promise<Listing>
  mcp: OpenMcp
}

type Ports = Pick<ControlPlane, 'findWorkload' | 'findStorage'> & {
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
  return { sandbox, list, mcp: sandboxTools(ports, parts, list) }
}

/** Its files are those of the container, so nothing is mounted. */
function inContainer(ports: Ports, workspace: string, sandbox: Workload): OpenSandbox {
  const kept = { id: sandbox.id, image: sandbox.image, memoryMb: sandbox.memoryMb }
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

const Path = z.object({ path: z.string() })
const Content = Path.extend({ content: z.string() })

const pathSchema = (more: object = {}, required: string[] = []) => ({
  type: 'object' as const,
  properties: { path: { type: 'string', description: 'Absolute path in the sandbox, such as /notes/a.txt' }, ...more },
  required: ['path', ...required],
  additionalProperties: false,
})

const Command = z.object({
  command: z.string().min(1).max(32_768),
  timeout_seconds: z.int().min(1).max(600).default(60),
})

const commandSchema = {
  type: 'object' as const,
  properties: {
    command: {
      type: 'string',
      description: 'A POSIX shell command. It starts in / and has the same paths as the file tools.',
    },
    timeout_seconds: { type: 'integer', minimum: 1, maximum: 600, default: 60 },
  },
  required: ['command'],
  additionalProperties: false,
}

type ToolFiles = Pick<SandboxFiles, 'list' | 'read' | 'write' | 'makeFolder' | 'remove'>

type SandboxParts = {
  workspace: string
  sandbox: Workload
  folders: readonly Folder[]
  files: ToolFiles
  kept: KeptContainer | undefined
}

function sandboxTools(ports: Ports, parts: SandboxParts, list: OpenSandbox['list']): OpenMcp {
  const { workspace, sandbox, folders, files, kept } = parts
  const { runCommand } = ports
  const at = (path: string) => locationOf(folders, stepsOf(path))
  const done = answered('Done.')
  const tools: Record<
    string,
    {
      description: string
      inputSchema: McpTool['inputSchema']
      run(args: unknown, signal: AbortSignal): Promise<ToolResult>
    }
  > = {
    run_command: {
      description: `Runs a shell command in the sandbox and returns its exit code and the end of its output. ${networkOf(sandbox)}`,
      inputSchema: commandSchema,
      run: async (args, signal) => {
        const { command: script, timeout_seconds: timeoutSeconds } = Command.parse(args)
        const { name, memoryMb, envs: env } = sandbox
        assertNoLoaderVariables(env.reveal())
        if (!kept) await makeMountPoints(ports.files, folders)
        const door = await doorFor(ports, workspace, sandbox, timeoutSeconds)
        const command = { workspace, sandbox: name, kept, script, env, folders, memoryMb, timeoutSeconds, signal, door }
        const end = await runCommand(command).finally(() => door?.close())
        return answered(JSON.stringify(end), end.exitCode !== 0 || end.ended !== undefined)
      },
    },
    list_directory: {
      description: 'Lists a folder.',
      inputSchema: pathSchema(),
      run: async (args) => answered(JSON.stringify(await list(Path.parse(args).path, false))),
    },
    read_file: {
      description: 'Reads a file of at most 1 MB, as text or as typed binary data.',
      inputSchema: pathSchema(),
      run: async (args) => {
        const { path } = Path.parse(args)
        const bytes = await files.read(at(path))
        const uri = `file:///${stepsOf(path).map(encodeURIComponent).join('/')}`
        return { content: contentOf({ bytes, contentType: typeByName(path), uri }), isError: false }
      },
    },
    write_file: {
      description: 'Writes a text file. Creates missing parent folders.',
      inputSchema: pathSchema({ content: { type: 'string' } }, ['content']),
      run: async (args) => {
        const { path, content } = Content.parse(args)
        await files.write(at(path), content)
        return done
      },
    },
    create_directory: {
      description: 'Creates a folder and its missing parents.',
      inputSchema: pathSchema(),
      run: async (args) => {
        await files.makeFolder(at(Path.parse(args).path))
        return done
      },
    },
    delete_path: {
      description: 'Deletes a file, or a folder with its contents.',
      inputSchema: pathSchema(),
      run: async (args) => {
        await files.remove(at(Path.parse(args).path))
        return done
      },
    },
  }
  return {
    id: sandbox.id,
    memoryMb: sandbox.memoryMb,
    name: sandbox.name,
    title: sandbox.displayName,
    listTools: async () =>
      Object.entries(tools).map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })),
    // Only platform credentials reach a sandbox, and those are not limited to tools.
    isReading: () => false,
    async call(name, args, { signal }) {
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
      return tool?.run(args, signal).catch(explain)
    },
  }
}

const networkOf = ({ functions }: Workload): string =>
  functions.length === 0
    ? 'Commands have no network.'
    : `Commands reach only the APIs of the linked accounts (${functions.join(', ')}), over https. Credentials are added outside: send none, or the placeholder.`

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

function explain(error: unknown): ToolResult {
  if (error instanceof Failure) return failed(error.detail)
  if (error instanceof z.ZodError) return failed(`The arguments are not valid: ${z.prettifyError(error)}`)
  throw error
}
