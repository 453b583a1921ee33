// Tools that can be read and would fail every call, or send something else than they say.
import { gapsOf } from './address-template.ts'
import type { Profile } from './profile-shape.ts'
import { placeholdersIn, type Tool } from './tool.ts'

export type ToolProblem = { path: string[]; message: string }

export const toolProblems = (profile: Profile): ToolProblem[] => [
  ...listProblems(profile),
  ...profile.tools.flatMap((tool, at) =>
    problemsOf(tool, profile).map(([member, message]) => ({ path: ['tools', String(at), ...member], message })),
  ),
]

function listProblems({ tools, requestTool, health }: Profile): ToolProblem[] {
  const names = tools.map(({ name }) => name)
  const told = (isBroken: boolean, member: string, message: string) => (isBroken ? [{ path: [member], message }] : [])
  return [
    ...told(new Set(names).size < names.length, 'tools', 'must have each name once'),
    ...told(requestTool && names.includes('request'), 'tools', 'must leave the name "request" to the request tool'),
    ...told(
      health.tool !== undefined && names.length > 0 && !names.includes(health.tool),
      'health',
      'must name one of the tools',
    ),
    ...unansweredArguments(tools, health).map((name) => ({
      path: ['health', 'arguments'],
      message: `must have ${name}: its tool requires it`,
    })),
  ]
}

/** A check that is refused for its arguments never tells whether a grant works. */
function unansweredArguments(tools: readonly Tool[], { tool, arguments: given = {} }: Profile['health']): string[] {
  const required = tools.find(({ name }) => name === tool)?.inputSchema.required
  return (Array.isArray(required) ? required : []).filter((name) => !Object.hasOwn(given, name))
}

type ToolFinding = [member: string[], message: string]

function problemsOf(tool: Tool, profile: Profile): ToolFinding[] {
  const { inputs, keep, api } = profile
  const { url, query = {}, headers = {}, body, derived = {} } = tool.request
  const kept = Object.keys({ ...keep.fromAnswer, ...keep.fromCallback, ...inputs })
  const taken = argumentsOf(tool).filter((name) => kept.includes(name))
  const known = [...argumentsOf(tool), ...Object.keys(derived)]
  const strangers = (templates: unknown, others: string[] = []) =>
    placeholdersIn(templates).filter((name) => ![...known, ...others].includes(name))
  const tokenHeader = Object.keys(headers).filter((name) => name.toLowerCase() === api.tokenHeader.toLowerCase())
  return [
    ...reachFindings(url, profile).map((message): ToolFinding => [['request', 'url'], message]),
    ...gapsOf(hostIn(url))
      .filter((name) => !kept.includes(name))
      .map((name): ToolFinding => [['request', 'url'], unfilled(name)]),
    ...strangers(url.slice(hostIn(url).length), kept).map((name): ToolFinding => [['request', 'url'], unknown(name)]),
    ...strangers([query, headers, body, derived]).map((name): ToolFinding => [['request'], unknown(name)]),
    ...tokenHeader.map((): ToolFinding => [['request', 'headers'], 'must not set the header of the access token']),
    ...taken.map(
      (name): ToolFinding => [['inputSchema'], `must not have ${name}: the connection has a value of that name`],
    ),
  ]
}

/** No call leaves `apiHosts`, or goes by a weaker wire than tokens came by. A host with gaps is judged when it is called. */
function reachFindings(url: string, { apiHosts, endpoints, issuer }: Profile): string[] {
  const origin = hostIn(url)
  if (gapsOf(origin).length > 0 || !URL.canParse(origin)) return []
  const { host, protocol, username } = new URL(origin)
  const tokens = endpoints?.token ?? issuer
  return [
    ...(apiHosts.some((template) => mayBe(template, host)) ? [] : [`${host} is not in apiHosts`]),
    ...(tokens === undefined || tokens.startsWith(protocol) ? [] : [`must not be ${protocol}, as tokens are not`]),
    ...(username ? ['must not carry a credential'] : []),
  ]
}

const mayBe = (template: string, host: string): boolean =>
  gapsOf(template).length === 0 ? template === host : partsOf(template).every((part) => host.includes(part))

/** What stands between the gaps. */
const partsOf = (template: string): string[] => template.split(/\{[^}]*\}/)

const unfilled = (name: string) => `must not have the gap {${name}}: nothing is known by then that fills it`
const unknown = (name: string) => `must not have {${name}}: no argument has that name`

const argumentsOf = ({ inputSchema }: Tool): string[] =>
  Object.keys((inputSchema.properties as object | undefined) ?? {})

const hostIn = (url: string): string => url.slice(0, url.indexOf('/', url.indexOf('://') + 3) >>> 0)
