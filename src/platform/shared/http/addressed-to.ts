import type { IncomingMessage } from 'node:http'

/** All paths of a `sbx-<sandbox>-<workspace>.…` host belong to the sandbox, and those of `pv-<id>.…` to a preview. */
export const isSandboxHost = ({ headers: { host = '' } }: IncomingMessage): boolean => /^(sbx|pv)-/i.test(host)

/** Paths, queries and bodies of these requests belong to the workload. */
export const isForWorkload = (req: IncomingMessage): boolean => isSandboxHost(req) || isGatewayPath(req.url ?? '')

export const meansWorkspace = (req: IncomingMessage, workspace: string): boolean =>
  workspace !== 'v0' && !isSandboxHost(req)

export const isGatewayPath = (path: string): boolean =>
  !/^\/(v0|oauth|billing|keys|assets|healthz|readyz|openapi\.json|\.well-known)(\/|\?|$)/.test(path)
