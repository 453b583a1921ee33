import type { IncomingMessage } from 'node:http'
import { type Divided, isForCanary } from '../domain/divided-requests.ts'
import type { Headers, Workload } from '../domain/workload.ts'

type Asked = { req: IncomingMessage; path: string; thread?: string | undefined; isSecure: boolean }

const cookieName = 'workload_revision'

/** The cookie is no secret: a revision that gets no requests is ignored. */
export function chooseRevision<T>(
  opened: Divided<T>,
  workload: Workload,
  { req, path, thread, isSecure }: Asked,
): { chosen: T; headers: Headers } {
  const { canary, stickySeconds = 0 } = workload
  if (!opened.canary || !canary) return { chosen: opened, headers: {} }
  const revision = cookieIn(req)
  const isCanary = isForCanary(workload, { thread, revision }, Math.random())
  const chosen = isCanary ? opened.canary : opened
  const name = isCanary ? canary.workload.revision : workload.revision
  if (stickySeconds === 0 || thread !== undefined || revision === name) return { chosen, headers: {} }
  const attributes = `Path=${path}; Max-Age=${stickySeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return { chosen, headers: { 'set-cookie': `${cookieName}=${name}; ${attributes}` } }
}

const cookieIn = ({ headers }: IncomingMessage): string | undefined =>
  new RegExp(`(?:^|;\\s*)${cookieName}=([\\w-]{1,64})`).exec(headers.cookie ?? '')?.[1]
