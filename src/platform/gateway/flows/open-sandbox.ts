import { z } from 'zod'
import { Failure } from '../../shared/domain/failure.ts'
import { answered, failed, type McpTool, type OpenMcp, type ToolResult } from '../domain/mcp.ts'
import type { RunSandboxCommand, SandboxFiles } from '../domain/sandbox/sandbox.ts'
import {
  type Folder,
  foldersOf,
  isGone,
  locationOf,
  mountPointsOf,
  mountsBelow,
  pathOf,
  stepsOf,
} from '../domain/sandbox/sandbox-path.ts'
import { contentOf, typeByName } from '../domain/tool-content.ts'
import { type FindWorkload, type Mount, running, type Workload } from '../domain/workload.ts'

/** A folder with what is in it; `tree` goes all the way down, a listing one step. */
export type Listing = { path: string; name: string; files: object[]; subdirectories: object[]; truncated?: true }

export type OpenSandbox = {
  sandbox: Workload
  list(path: string, deep: boolean): Promise<Listing>
  mcp: OpenMcp
}

type Needs = {
  findWorkload: FindWorkload
  /** The ids of volumes or drives by name; those that are gone are left out. */
  findStorage(workspace: string, kind: 'volume' | 'drive', names: string[]): Promise<Map<string, string>>
  files: SandboxFiles
  runCommand: RunSandboxCommand
}

export const openSandbox =
  (needs: Needs) =>
  async (workspace: string, name: string): Promise<OpenSandbox> => {
    const sandbox = running(await needs.findWorkload(workspace, 'sandbox', name), 'sandbox')
    const own = await needs.files.folderOf('sandbox', workspace, sandbox.id)
    const mounts = [
      ...(await mounted(needs, workspace, 'volume', sandbox.volumes)),
      ...(await mounted(needs, workspace, 'drive', sandbox.drives)),
    ]
    const folders = foldersOf(own, mounts)
    const list = (path: string, deep: boolean) =>
      listing(needs.files, folders, stepsOf(path), deep, { left: mostEntries })
    return { sandbox, list, mcp: sandboxTools(needs, { workspace, sandbox, folders }, list) }
  }

async function mounted(needs: Needs, workspace: string, kind: 'volume' | 'drive', mounts: readonly Mount[]) {
  const ids = await needs.findStorage(
    workspace,
    kind,
    mounts.map(({ name }) => name),
  )
  return Promise.all(
    mounts.map(async (mount) => {
      const id = ids.get(mount.name)
      return { ...mount, folder: id === undefined ? undefined : await needs.files.folderOf(kind, workspace, id) }
    }),
  )
}

const mostEntries = 10_000

/** `budget` bounds the whole answer, however deep the tree is; what is cut says so, and so does all that is above it. */
async function listing(
  files: SandboxFiles,
  folders: readonly Folder[],
  steps: string[],
  deep: boolean,
  budget: { left: number },
): Promise<Listing> {
  const found = await files.list(locationOf(folders, steps))
  const mounts = mountsBelow(folders, steps)
  // Not the code of a missing workload: a client would create its sandbox again.
  if (!found && mounts.length === 0) throw new Failure('route_unknown', 'There is no such folder.')
  const own = found?.files ?? []
  const shown = taken(own, budget).map((file) => ({ path: pathOf([...steps, file.name]), ...file }))
  const names = [...new Set([...(found?.folders ?? []), ...mounts])].sort()
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
  properties: { path: { type: 'string', description: 'From the root of the sandbox, /notes/a.txt' }, ...more },
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
    command: { type: 'string', description: 'For a POSIX shell. It starts in the folder of the sandbox, /home/user.' },
    timeout_seconds: { type: 'integer', minimum: 1, maximum: 600, default: 60 },
  },
  required: ['command'],
  additionalProperties: false,
}

type SandboxParts = { workspace: string; sandbox: Workload; folders: readonly Folder[] }

function sandboxTools(
  { files, runCommand }: Needs,
  { workspace, sandbox, folders }: SandboxParts,
  list: OpenSandbox['list'],
): OpenMcp {
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
      description:
        'Runs a shell command in the sandbox and answers its exit code and the end of its output. It has no network.',
      inputSchema: commandSchema,
      run: async (args, signal) => {
        const { command: script, timeout_seconds: timeoutSeconds } = Command.parse(args)
        const { name, memoryMb } = sandbox
        await makeMountPoints(files, folders)
        const end = await runCommand({ workspace, sandbox: name, script, folders, memoryMb, timeoutSeconds, signal })
        return answered(JSON.stringify(end), end.exitCode !== 0)
      },
    },
    list_directory: {
      description: 'Lists a folder.',
      inputSchema: pathSchema(),
      run: async (args) => answered(JSON.stringify(await list(Path.parse(args).path, false))),
    },
    read_file: {
      description: 'Reads a file of at most 1 MB: as text, or with its type where it is none.',
      inputSchema: pathSchema(),
      run: async (args) => {
        const { path } = Path.parse(args)
        const bytes = await files.read(at(path))
        const uri = `file:///${stepsOf(path).map(encodeURIComponent).join('/')}`
        return { content: contentOf({ bytes, contentType: typeByName(path), uri }), isError: false }
      },
    },
    write_file: {
      description: 'Writes a text file, with the folders above it.',
      inputSchema: pathSchema({ content: { type: 'string' } }, ['content']),
      run: async (args) => {
        const { path, content } = Content.parse(args)
        await files.write(at(path), content)
        return done
      },
    },
    create_directory: {
      description: 'Makes a folder, with the folders above it.',
      inputSchema: pathSchema(),
      run: async (args) => {
        await files.makeFolder(at(Path.parse(args).path))
        return done
      },
    },
    delete_path: {
      description: 'Removes a file, or a folder with all that is in it.',
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
    // Only credentials of the platform reach a sandbox, and those are not bound to tools.
    isReading: () => false,
    async call(name, args, { signal }) {
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
      return tool?.run(args, signal).catch(explain)
    },
  }
}

/** Made here, where no link is followed: what mounts follows every one that a command left on the way. */
async function makeMountPoints(files: Needs['files'], folders: readonly Folder[]): Promise<void> {
  for (const { path, location } of mountPointsOf(folders)) {
    if (await files.makeMountPoint(location)) continue
    const problem = 'on the way to it is a file, a link, or something that is mounted for reading and lacks it'
    throw new Failure('input_invalid', `Nothing can be mounted at ${path}: ${problem}.`)
  }
}

function explain(error: unknown): ToolResult {
  if (error instanceof Failure) return failed(error.detail)
  if (error instanceof z.ZodError) return failed(`The arguments are not valid: ${z.prettifyError(error)}`)
  throw error
}
