// Whom a request to the platform's one port is meant for.
import type { IncomingMessage } from 'node:http'

/** A sandbox may have a host of its own, `sbx-<sandbox>-<workspace>.…`: every path there is the sandbox's. */
const isSandboxHost = ({ headers: { host = '' } }: IncomingMessage): boolean => /^sbx-/i.test(host)

/** What workloads are sent: their paths, queries and bodies are theirs. */
export const isForWorkload = (req: IncomingMessage): boolean => isSandboxHost(req) || isGatewayPath(req.url ?? '')

/** Whether `/<workspace>/…` means that workspace here: operations are below `v0`. */
export const meansWorkspace = (req: IncomingMessage, workspace: string): boolean =>
  workspace !== 'v0' && !isSandboxHost(req)

export const isGatewayPath = (path: string): boolean =>
  !/^\/(v0|oauth|billing|assets|healthz|readyz|openapi\.json|\.well-known)(\/|\?|$)/.test(path)
