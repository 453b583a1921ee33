import { Failure } from '../../shared/domain/failure.ts'
import type { Connection, McpFunction, Workloads } from '../domain/connection.ts'
import type { Integration, Tool } from '../domain/integration.ts'

export type OpenTool = { name: string; tool: Tool; integration: Integration; connection: Connection }
export type OpenFunction = { name: string; displayName: string; tools: OpenTool[] }

type Needs = {
  workloads: Pick<Workloads, 'findFunction' | 'findConnection'>
  integrations: ReadonlyMap<string, Integration>
}

/** A function with all it can do right now. */
export const openFunction =
  ({ workloads, integrations }: Needs) =>
  async (workspace: string, name: string): Promise<OpenFunction> => {
    const found = running(await workloads.findFunction(workspace, name))
    const connections = await Promise.all(found.connections.map((inner) => workloads.findConnection(workspace, inner)))
    const tools = connections.flatMap((connection) => (connection ? toolsOf(connection, integrations) : []))
    return { name, displayName: found.displayName, tools: withUniqueNames(tools) }
  }

/** Nothing has to be started for a function, so one whose deployment is under way takes requests as well. */
function running(found: McpFunction | undefined): McpFunction {
  if (!found) throw new Failure('resource_unknown', 'No function has this name.')
  if (found.status === 'DEPLOYED' || found.status === 'DEPLOYING') return found
  throw new Failure('workload_unavailable', `The function is ${found.status}; its events say why.`)
}

function toolsOf(connection: Connection, integrations: ReadonlyMap<string, Integration>): OpenTool[] {
  const integration = integrations.get(connection.integration)
  return (integration?.tools ?? []).map((tool) => ({
    name: tool.name,
    tool,
    integration: integration as Integration,
    connection,
  }))
}

/** Two connections may bring a tool of the same name: then, and only then, each carries its connection's name. */
function withUniqueNames(tools: OpenTool[]): OpenTool[] {
  const taken = tools.map(({ name }) => name)
  const isShared = (name: string) => taken.indexOf(name) !== taken.lastIndexOf(name)
  return tools.map((open) => (isShared(open.name) ? { ...open, name: `${open.connection.name}_${open.name}` } : open))
}
