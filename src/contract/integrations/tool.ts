// One thing that a function can do with a linked account: its arguments, and the one HTTP request that they become.
import { z } from 'zod'
import { ExtraHeaders, ScopeName } from './oauth.ts'

const Template = z.json()

/** How a body is written. JSON where nothing is said. */
export const bodyTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'text/plain',
] as const

const ToolRequest = z
  .strictObject({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    /** Its host has no arguments, only inputs and kept values. */
    url: z.string().regex(/^https?:\/\/[^/]+(\/|$)/, 'must be an http(s) address'),
    /** An argument that is a list is sent as one parameter for each item. */
    query: z.record(z.string(), z.string()).optional(),
    /** Beside those of `api.headers`. What is no text is sent as JSON. */
    headers: z.record(z.string(), Template).optional(),
    body: Template.optional(),
    bodyType: z.enum(bodyTypes).optional(),
    /** Arguments that are made from others before the rest is filled in; `mail` makes an RFC 5322 message. */
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
  if (isRefused) return { path: ['headers'], message: 'must be headers that the request does not set itself' }
  if (method === 'GET' && body !== undefined) return { path: ['body'], message: 'must not be sent with GET' }
  if (bodyType !== undefined && body === undefined) return { path: ['bodyType'], message: 'is of a body' }
  return undefined
}

export const Tool = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  description: z.string(),
  /** Whether it changes nothing at the provider; a GET is taken to. */
  readOnly: z.boolean().optional(),
  /** Whether it may overwrite or remove something; what does not only read is taken to, unless it says that it adds. */
  destructive: z.boolean().optional(),
  /** Scopes without which the provider refuses it, as far as they are known. */
  scopes: z.array(ScopeName).min(1).optional(),
  /** JSON Schema of the arguments. */
  inputSchema: z.looseObject({ type: z.literal('object') }),
  /** `{argument}` in a text is replaced; a text that is nothing but one placeholder takes the value with its type. */
  request: ToolRequest,
})
export type Tool = z.infer<typeof Tool>

export const readsOnly = ({ readOnly, request }: Pick<Tool, 'readOnly' | 'request'>): boolean =>
  readOnly ?? request.method === 'GET'

export const mayDestroy = (tool: Pick<Tool, 'readOnly' | 'destructive' | 'request'>): boolean =>
  !readsOnly(tool) && (tool.destructive ?? true)

/** What stands for an argument in the texts of a request. */
export const placeholder = /\{([A-Za-z0-9_]+)\}/g

export function placeholdersIn(template: unknown): string[] {
  if (typeof template === 'string') return [...template.matchAll(placeholder)].map(([, name = '']) => name)
  return typeof template === 'object' && template !== null ? Object.values(template).flatMap(placeholdersIn) : []
}
