import { z } from 'zod'
import { Failure } from '../../../shared/domain/failure.ts'
import { answered, failed, type McpTool, type OpenMcp, type ToolResult } from '../../domain/mcp.ts'
import type { OpenSandbox } from '../../domain/sandbox/sandbox.ts'
import { stepsOf } from '../../domain/sandbox/sandbox-path.ts'
import { contentOf, typeByName } from '../../domain/tool-content.ts'
import type { Workload } from '../../domain/workload.ts'

export type ToolTable = Record<
  string,
  {
    description: string
    inputSchema: McpTool['inputSchema']
    run(args: unknown, signal: AbortSignal): Promise<ToolResult>
  }
>

export function sandboxTools({ sandbox, kept, files, list, run }: OpenSandbox): ToolTable {
  const done = answered('Done.')
  return {
    run_command: {
      description: `Runs a shell command in the sandbox and returns its exit code and the end of its output. ${networkOf(sandbox)}`,
      inputSchema: commandSchema(kept ? '/home/user' : '/'),
      run: async (args, signal) => {
        const { command: script, timeout_seconds: timeoutSeconds } = Command.parse(args)
        const end = await run({ kind: 'command', script, timeoutSeconds, signal })
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
        const bytes = await files.read(path, maxReadBytes)
        const uri = `file:///${stepsOf(path).map(encodeURIComponent).join('/')}`
        return { content: contentOf({ bytes, contentType: typeByName(path), uri }), isError: false }
      },
    },
    write_file: {
      description: 'Writes a text file. Creates missing parent folders.',
      inputSchema: pathSchema({ content: { type: 'string' } }, ['content']),
      run: async (args) => {
        const { path, content } = Content.parse(args)
        await files.write(path, content)
        return done
      },
    },
    create_directory: {
      description: 'Creates a folder and its missing parents.',
      inputSchema: pathSchema(),
      run: async (args) => {
        await files.makeFolder(Path.parse(args).path)
        return done
      },
    },
    delete_path: {
      description: 'Deletes a file, or a folder with its contents.',
      inputSchema: pathSchema(),
      run: async (args) => {
        await files.remove(Path.parse(args).path)
        return done
      },
    },
  }
}

export function toolServer(sandbox: Workload, tools: ToolTable): OpenMcp {
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

const maxReadBytes = 1024 * 1024

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

const commandSchema = (startFolder: string) => ({
  type: 'object' as const,
  properties: {
    command: {
      type: 'string',
      description: `A POSIX shell command. It starts in ${startFolder} and has the same paths as the file tools.`,
    },
    timeout_seconds: { type: 'integer', minimum: 1, maximum: 600, default: 60 },
  },
  required: ['command'],
  additionalProperties: false,
})

const networkOf = ({ functions }: Workload): string =>
  functions.length === 0
    ? 'Commands have no network.'
    : `Commands reach only the APIs of the linked accounts (${functions.join(', ')}), over https. Credentials are added outside: send none, or the placeholder.`

function explain(error: unknown): ToolResult {
  if (error instanceof Failure) return failed(error.detail)
  if (error instanceof z.ZodError) return failed(`The arguments are not valid: ${z.prettifyError(error)}`)
  throw error
}
