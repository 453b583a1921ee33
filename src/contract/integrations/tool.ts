import { z } from 'zod'
import { ExtraHeaders, ScopeName } from './oauth.ts'

const Template = z.json()

export const bodyTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'text/plain',
] as const

const ToolRequest = z
  .strictObject({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    /** The host may use inputs and kept values, but no arguments. */
    url: z.string().regex(/^https?:\/\/[^/]+(\/|$)/, 'must be an http(s) URL'),
    /** A list argument is sent as one parameter per item. */
    query: z.record(z.string(), z.string()).optional(),
    /** Added to `api.headers`. Values that are not strings are sent as JSON. */
    headers: z.record(z.string(), Template).optional(),
    body: Template.optional(),
    bodyType: z.enum(bodyTypes).optional(),
    /** Arguments computed from others before the request is filled in. `mail` builds an RFC 5322 message. */
    derived: z.record(z.string(), z.strictObject({ as: z.literal('mail'), from: Template })).optional(),
  })
  .check(({ value, issues }) => {
    const problem = requestProblem(value)
    if (problem) issues.push({ code: 'custom', input: value, ...problem })
  })

type RequestShape = { method: string; headers?: object | undefined; body?: unknown; bodyType?: string | undefined }

function requestProblem({ method, headers = {}, body, bodyType }: RequestShape) {
  const names = Object.fromEntries(Object.keys(headers).map((name) => [name, '']))
  const isRefused = ExtraHeaders.safeParse(names).success === false
  if (isRefused) return { path: ['headers'], message: 'must not set headers that the program sets' }
  if (method === 'GET' && body !== undefined) return { path: ['body'], message: 'must not be sent with GET' }
  if (bodyType !== undefined && body === undefined) return { path: ['bodyType'], message: 'requires a body' }
  return undefined
}

export const Tool = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  description: z.string(),
  /** Changes nothing at the provider. Defaults to true for GET. */
  readOnly: z.boolean().optional(),
  /** May overwrite or delete data. Defaults to true unless the tool is read-only. */
  destructive: z.boolean().optional(),
  scopes: z.array(ScopeName).min(1).optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  /** `{argument}` in a string is replaced. A string that is only a placeholder becomes the value, with its type. */
  request: ToolRequest,
})
export type Tool = z.infer<typeof Tool>

export const readsOnly = ({ readOnly, request }: Pick<Tool, 'readOnly' | 'request'>): boolean =>
  readOnly ?? request.method === 'GET'

export const mayDestroy = (tool: Pick<Tool, 'readOnly' | 'destructive' | 'request'>): boolean =>
  !readsOnly(tool) && (tool.destructive ?? true)

export const placeholder = /\{([A-Za-z0-9_]+)\}/g

export function placeholdersIn(template: unknown): string[] {
  if (typeof template === 'string') return [...template.matchAll(placeholder)].map(([, name = '']) => name)
  return typeof template === 'object' && template !== null ? Object.values(template).flatMap(placeholdersIn) : []
}
