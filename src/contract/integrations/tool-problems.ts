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
  ]
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

const unfilled = (name: string) => `must not have the gap {${name}}: nothing is known by then that fills it`
const unknown = (name: string) => `must not have {${name}}: no argument has that name`

const argumentsOf = ({ inputSchema }: Tool): string[] =>
  Object.keys((inputSchema.properties as object | undefined) ?? {})

const hostIn = (url: string): string => url.slice(0, url.indexOf('/', url.indexOf('://') + 3) >>> 0)
