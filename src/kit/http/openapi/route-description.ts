import type { z } from 'zod'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What a route takes and answers: programs serve it, and describe it in OpenAPI, from the same object. */
export type RouteDescription = {
  method: Method
  /** In OpenAPI's form: /tenants/{tenantId} */
  path: string
  /** What a generated client calls it; made of method and path where it is missing. */
  operationId?: string
  /** A verb and a noun. */
  summary: string
  /** Why one would call it, and what happens then. */
  description?: string | undefined
  tag?: string
  /** The names in the path; any text where it is missing. */
  params?: z.ZodObject
  query?: z.ZodType
  body?: z.ZodType | undefined
  /** A request without a body is taken, too. */
  bodyOptional?: boolean
  /** The body of each good answer by its status. An example of it is the first of `examples` in its schema's meta. */
  answers: Record<number, z.ZodType | undefined>
}

/** The same path as routers write it: /tenants/:tenantId */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** getTenantsTenantId, for GET /tenants/{tenantId}. */
export const operationIdOf = ({ operationId, method, path }: RouteDescription): string =>
  operationId ?? [method, ...path.split(/\W|_/).map(capitalized)].join('')

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
