import { Failure } from '../../shared/domain/failure.ts'

export type UpstreamAddress = { origin: string; pathTo(path: string): string }

/** Upstreams are often named with the version that clients also send: it is said once. */
export function upstreamAddress(base: string): UpstreamAddress {
  const { origin, pathname, search } = new URL(base)
  const root = pathname.replace(/(?<!\/)\/+$/, '')
  const isVersioned = root.endsWith('/v1')
  return {
    origin,
    pathTo(path) {
      const queryAt = path.indexOf('?')
      const asked = queryAt < 0 ? path : path.slice(0, queryAt)
      const rest = isVersioned && /^\/v1(\/|$)/.test(asked) ? asked.slice(3) : asked
      assertNoClimbing(rest)
      const query = queryAt < 0 ? search : path.slice(queryAt)
      return encoded(origin, `${root}${rest || (root ? '' : '/')}${query}`)
    },
  }
}

/** As text: the parser of addresses would resolve dots, and the path would leave the upstream's own. */
function assertNoClimbing(path: string): void {
  if (!/[.%\\]/.test(path)) return
  if (/(^|\/)\.{1,2}(\/|$)/.test(decoded(path))) throw new Failure('input_invalid', 'The path must not climb.')
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll('\\', '/')
  } catch {
    throw new Failure('input_invalid', 'The path is not valid.')
  }
}

/** What is not allowed to stand in a request line as it is, is encoded as the parser of addresses does it. */
function encoded(origin: string, path: string): string {
  if (/^[\w!$%&'()*+,./:;=?@[\]~-]*$/.test(path)) return path
  const { pathname, search } = new URL(`${origin}${path}`)
  return `${pathname}${search}`
}
