import router from 'find-my-way'
import { routerPath } from '../../../kit/http/openapi/route-description.ts'
import { Failure } from '../domain/failure.ts'
import type { Operation } from './operation.ts'

type Entry = { operation: Operation; pattern: string }

/** `pattern` is its path as routers write it, for logs: all routes look alike there. */
export type FoundOperation = Entry & { params: Record<string, string> }

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Longer than any path a server takes: how long a name may be is for its schema to say. */
const maxParamLength = 64 * 1024

/** The library wants a handler for each route; here routes are only looked up. */
const neverCalled = () => undefined

/**
 * Finds what a path asks for in a tree: a list of a hundred routes, tried one after the other, costs more than most of
 * them take to answer. A static segment takes precedence over a parameter.
 */
export function operationTable(operations: readonly Operation[]) {
  const routes = router({ ignoreTrailingSlash: true, maxParamLength, onBadUrl: throwMalformed })
  for (const operation of operations) {
    const pattern = routerPath(operation.path)
    const entry: Entry = { operation, pattern }
    routes.on(operation.method.toUpperCase() as (typeof methods)[number], pattern, neverCalled, entry)
  }
  const findBy = (method: string, path: string): FoundOperation | undefined => {
    const found = routes.find(method as (typeof methods)[number], path)
    if (found && !found.store) throwMalformed()
    return found ? { ...(found.store as Entry), params: found.params as Record<string, string> } : undefined
  }
  return {
    /** Returns undefined if there is nothing at the path, and the methods if there are others than this one. */
    find(method: string, path: string): FoundOperation | { allowed: string[] } | undefined {
      // The library takes an empty segment for the value of a parameter, and `#` for the end of the path.
      if (path.includes('//') || path.includes('#')) return undefined
      const found = findBy(method, path)
      if (found) return found
      const allowed = methods.filter((other) => findBy(other, path))
      return allowed.length > 0 ? { allowed } : undefined
    },
  }
}

function throwMalformed(): never {
  throw new Failure('input_invalid', 'The path is not valid.')
}
