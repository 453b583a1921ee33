import type { Link } from './link.ts'
import type { Rates } from './rate-limit.ts'

export type Settings = {
  publicUrl: string
  /** What this deployment calls itself where it registers as an OAuth client. */
  clientName: string
  completion: 'required' | 'optional'
  sessionSeconds: number
  authorizationSeconds: number
  waitingCodeSeconds: number
  verifyFunctions: boolean
  keepGrants: boolean
  /** Whether the platform takes new secrets under the name of a connection. */
  connectionPut: boolean
  /** How often a connection is looked after, where its profile does not say. */
  healthSeconds: number
  /** How long a grant waits for somebody to put it to work. */
  escrowSeconds: number
  backlogPerTenant: number
  rates: Rates
}

/** A link as it stands, and as it will stand when the work just begun on it is done. */
export type LinkInProgress = { link: Link; done: Promise<Link> }
