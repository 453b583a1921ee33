import type { Member } from '../../../shared/domain/caller.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { pageToolName } from '../../domain/clients/declared.ts'
import type { McpTool, OpenMcp, ToolResult } from '../../domain/mcp.ts'

/** An account of a person at a function. */
export type PersonAt = { id: string; label: string; name: string; functionId: string; toolPrefix?: string | undefined }

export type PersonPorts = {
  functionsOf(workspace: string, endUserId: string): Promise<PersonAt[]>
  endUserIdOf(callerId: string): Promise<string | undefined>
}

type Open = (member: Member, name: string, functionId: string) => Promise<OpenMcp>

/**
 * All functions of a person as one server. Calls are those of the function behind a tool. `calls`: the tools that the
 * request calls; only their functions are opened, and all of them to list tools.
 */
export async function openPerson(
  { functionsOf }: Pick<PersonPorts, 'functionsOf'>,
  member: Member,
  endUserId: string,
  { calls, lists }: { calls: readonly string[]; lists: boolean },
  open: Open,
): Promise<OpenMcp> {
  const { workspace } = member
  const functions = await functionsOf(workspace, endUserId)
  if (functions.length === 0) throw new Failure('resource_unknown', 'This end user has no functions.')
  const prefixes = prefixesOf(functions)
  const needsAll = lists || calls.includes(pageToolName)
  const isCalled = (name: string) => calls.some((tool) => [name, prefixes.get(name)].includes(prefixIn(tool)))
  const needed = functions.filter(({ name }) => needsAll || isCalled(name))
  const found = await Promise.all(needed.map((at) => open(asPerson(member, at), at.name, at.functionId).catch(closed)))
  const opened = found.flatMap((mcp) => mcp ?? [])
  // The name of a function works too: an agent may have listed the tools before the prefix changed.
  const parts = new Map([
    ...opened.map((mcp) => [mcp.name, mcp] as const),
    ...opened.map((mcp) => [prefixes.get(mcp.name) ?? mcp.name, mcp] as const),
  ])
  return {
    id: endUserId,
    memoryMb: 0,
    name: workspace,
    title: 'All apps',
    async listTools(exchange) {
      const lists = opened.map(async (mcp) =>
        (await mcp.listTools({ ...exchange, acceptsKnownTools: true })).map((tool) =>
          tool.name === pageToolName ? tool : { ...tool, name: `${prefixes.get(mcp.name)}_${tool.name}` },
        ),
      )
      return (await Promise.all(lists)).flat().filter(isFirstPageTool)
    },
    isReading(tool, args) {
      if (tool === pageToolName) return true
      const { mcp, name } = partOf(parts, tool)
      return mcp?.isReading(name, args) ?? false
    },
    async call(tool, args, exchange) {
      if (tool === pageToolName) return firstSuccess(opened.map((mcp) => mcp.call(tool, args, exchange)))
      const { mcp, name } = partOf(parts, tool)
      return mcp?.call(name, args, exchange)
    },
  }
}

/** At each function an end user is the account that a login at this function has. */
const asPerson = ({ caller, ...member }: Member, { id, label, functionId }: PersonAt): Member => ({
  ...member,
  caller: caller.kind === 'end_user' ? { ...caller, id, label, onlyAt: { ...caller.onlyAt, functionId } } : caller,
})

/** One button shows the pages of all functions. */
const isFirstPageTool = ({ name }: McpTool, at: number, tools: McpTool[]): boolean =>
  name !== pageToolName || tools.findIndex((tool) => tool.name === pageToolName) === at

/** A page belongs to one function; the others refuse it. */
async function firstSuccess(calls: Array<Promise<ToolResult | undefined>>): Promise<ToolResult | undefined> {
  const results = await Promise.all(calls)
  return results.find((result) => result?.isError === false) ?? results[0]
}

/** A function that does not run must not close the others. */
function closed(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error
}

/** Its own prefix, unless another function has the same prefix or that name: then none of them, or calls could mix up. */
function prefixesOf(functions: readonly PersonAt[]): ReadonlyMap<string, string> {
  const taken = [...functions.map(({ name }) => name), ...functions.flatMap(({ toolPrefix }) => toolPrefix ?? [])]
  const isOwn = (prefix: string) => taken.filter((each) => each === prefix).length === 1
  return new Map(
    functions.map(({ name, toolPrefix }) => [name, toolPrefix !== undefined && isOwn(toolPrefix) ? toolPrefix : name]),
  )
}

/** Neither names of functions nor prefixes have an underscore. */
const prefixIn = (tool: string): string => tool.slice(0, Math.max(0, tool.indexOf('_')))

function partOf(parts: ReadonlyMap<string, OpenMcp>, tool: string) {
  const name = prefixIn(tool)
  return { mcp: parts.get(name), name: tool.slice(name.length + 1) }
}
