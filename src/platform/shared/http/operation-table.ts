import router from 'find-my-way'
import { routerPath } from '../../../kit/http/openapi/route-description.ts'
import { Failure } from '../domain/failure.ts'
import type { Operation } from './operation.ts'

type Entry = { operation: Operation; pattern: string }

type FoundOperation = Entry & { params: Record<string, string> }

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Above the server's max path length. Schemas limit names. */
const maxParamLength = 64 * 1024

/** Required by the library, but routes are only looked up. */
const neverCalled = () => undefined

/** A tree, because matching a hundred routes in sequence costs more than most operations. Static segments take precedence over parameters. */
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
    /** Returns undefined for an unknown path, and the allowed methods for a known path with another method. */
    find(method: string, path: string): FoundOperation | { allowed: string[] } | undefined {
      // The library accepts an empty segment as a parameter value and treats `#` as the end of the path.
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
