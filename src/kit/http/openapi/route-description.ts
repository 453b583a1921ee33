import type { z } from 'zod'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Describes a route. The router and the OpenAPI document both use it. */
export type RouteDescription = {
  method: Method
  /** In the syntax of OpenAPI: /tenants/{tenantId} */
  path: string
  /** Default: method and path. */
  operationId?: string
  summary: string
  description?: string | undefined
  tag?: string
  /** Default: any text. */
  params?: z.ZodObject
  query?: z.ZodType
  body?: z.ZodType | undefined
  bodyOptional?: boolean
  /** Bodies of successful responses by status. The example is the first of `examples` in the meta of the schema. */
  answers: Record<number, z.ZodType | undefined>
}

/** In the syntax of Express: /tenants/:tenantId */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** getTenantsTenantId, for GET /tenants/{tenantId}. */
export const operationIdOf = ({ operationId, method, path }: RouteDescription): string =>
  operationId ?? [method, ...path.split(/\W|_/).map(capitalized)].join('')

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
