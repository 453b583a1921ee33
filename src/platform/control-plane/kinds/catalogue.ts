import type { Kind } from '../domain/kind.ts'
import { integrationConnection } from './integration-connection.ts'
import { customDomain, egressGateway, egressIp, vpc } from './networking.ts'
import { policy } from './policy.ts'
import { drive, volume, volumeTemplate } from './storage.ts'
import { agent, job, mcpFunction, model, sandbox } from './workloads.ts'

/** Every kind that lives in a workspace and is served by the generic routes. */
export const kinds: readonly Kind[] = [
  agent,
  customDomain,
  drive,
  egressGateway,
  egressIp,
  integrationConnection,
  job,
  mcpFunction,
  model,
  policy,
  sandbox,
  volume,
  volumeTemplate,
  vpc,
]

/** Those that another kind lives in, and the flat lists that look into all of them. */
export const flatListings = [
  { path: '/egressgateways', kind: egressGateway },
  { path: '/egressips', kind: egressIp },
] as const
