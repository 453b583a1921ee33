import { secondsIn } from '../../../contract/control-plane/duration.ts'
import type { Document, Resource } from './resource.ts'

/** What the gateway needs to serve a preview. */
export function servedPreview({ workspace, parent: sandbox, name, spec, createdAt }: Resource) {
  const { port, public: isPublic, expires, ttl, requestHeaders = {}, responseHeaders = {} } = spec as PreviewSpec
  const ends = [
    ...(expires === undefined ? [] : [new Date(expires)]),
    ...(ttl === undefined ? [] : [new Date(createdAt.getTime() + secondsIn(ttl) * 1_000)]),
  ]
  const expiresAt = ends.sort((a, b) => a.getTime() - b.getTime())[0]
  return { workspace, sandbox, name, port, isPublic, expiresAt, requestHeaders, responseHeaders }
}

type PreviewSpec = Document & {
  port: number
  public: boolean
  expires?: string
  ttl?: string
  requestHeaders?: Record<string, string>
  responseHeaders?: Record<string, string>
}

export const servedToken = ({ workspace, parent, spec: { expiresAt } }: Resource) => ({
  workspace,
  parent,
  expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : undefined,
})
