// Tools that parse but would fail every call or send the wrong request.
import { gapsOf } from './address-template.ts'
import type { Profile } from './profile-shape.ts'
import { placeholdersIn, type Tool } from './tool.ts'

type ToolProblem = { path: string[]; message: string }

export const toolProblems = (profile: Profile): ToolProblem[] => [
  ...listProblems(profile),
  ...profile.tools.flatMap((tool, at) =>
    problemsOf(tool, profile).map(([member, message]) => ({ path: ['tools', String(at), ...member], message })),
  ),
]

function listProblems({ tools, requestTool, health }: Profile): ToolProblem[] {
  const names = tools.map(({ name }) => name)
  const found = (isBroken: boolean, member: string, message: string) => (isBroken ? [{ path: [member], message }] : [])
  return [
    ...found(new Set(names).size < names.length, 'tools', 'must have unique names'),
    ...found(requestTool && names.includes('request'), 'tools', 'must not use the name "request" of the request tool'),
    ...found(
      health.tool !== undefined && names.length > 0 && !names.includes(health.tool),
      'health',
      'must name one of the tools',
    ),
    ...unansweredArguments(tools, health).map((name) => ({
      path: ['health', 'arguments'],
      message: `must include ${name}: the tool requires it`,
    })),
  ]
}

/** A check with invalid arguments can't show whether the grant works. */
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
      (name): ToolFinding => [['inputSchema'], `must not have ${name}: the connection has a value with that name`],
    ),
  ]
}

/** Calls stay on `apiHosts` and use TLS if token requests do. A host with gaps is checked on each call. */
function reachFindings(url: string, { apiHosts, endpoints, issuer }: Profile): string[] {
  const origin = hostIn(url)
  if (gapsOf(origin).length > 0 || !URL.canParse(origin)) return []
  const { host, protocol, username } = new URL(origin)
  const tokens = endpoints?.token ?? issuer
  return [
    ...(apiHosts.some((template) => mayBe(template, host)) ? [] : [`${host} is not in apiHosts`]),
    ...(tokens === undefined || tokens.startsWith(protocol)
      ? []
      : [`must not be ${protocol}//, as token requests are not`]),
    ...(username ? ['must not contain credentials'] : []),
  ]
}

const mayBe = (template: string, host: string): boolean =>
  gapsOf(template).length === 0 ? template === host : partsOf(template).every((part) => host.includes(part))

const partsOf = (template: string): string[] => template.split(/\{[^}]*\}/)

const unfilled = (name: string) => `must not have the gap {${name}}: its value is not known at that point`
const unknown = (name: string) => `must not have {${name}}: there is no such argument`

const argumentsOf = ({ inputSchema }: Tool): string[] =>
  Object.keys((inputSchema.properties as object | undefined) ?? {})

const hostIn = (url: string): string => url.slice(0, url.indexOf('/', url.indexOf('://') + 3) >>> 0)
