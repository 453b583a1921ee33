import type { IncomingMessage } from 'node:http'

/** All paths of a `sbx-<sandbox>-<workspace>.…` host belong to the sandbox, and those of `pv-<id>.…` to a preview. */
export const isSandboxHost = (req: IncomingMessage): boolean =>
  /^(sbx|pv)-/i.test(req.headers.host ?? '') || customPreviews.has(req)

const customPreviews = new WeakMap<IncomingMessage, string>()

/** The preview of a request to a custom domain. */
export const customPreviewOf = (req: IncomingMessage): string | undefined => customPreviews.get(req)

export type CustomHosts = { read(): Promise<void>; claim(req: IncomingMessage): boolean }

/** The hosts of verified custom domains, as last read. `claim` marks a request to one. */
export function customHosts(readAll: () => Promise<ReadonlyMap<string, string>>): CustomHosts {
  let known: ReadonlyMap<string, string> = new Map()
  return {
    async read() {
      known = await readAll()
    },
    claim(req) {
      const preview = known.get((req.headers.host ?? '').toLowerCase().replace(/:\d{1,5}$/, ''))
      if (preview !== undefined) customPreviews.set(req, preview)
      return preview !== undefined
    },
  }
}

/** Paths, queries and bodies of these requests belong to the workload. */
export const isForWorkload = (req: IncomingMessage): boolean => isSandboxHost(req) || isGatewayPath(req.url ?? '')

export const meansWorkspace = (req: IncomingMessage, workspace: string): boolean =>
  workspace !== 'v0' && !isSandboxHost(req)

export const isGatewayPath = (path: string): boolean =>
  !/^\/(v0|oauth|billing|keys|assets|healthz|readyz|openapi\.json|\.well-known)(\/|\?|$)/.test(path)
