import type { Link } from './link.ts'
import type { Rates } from './rate-limit.ts'

export type Settings = {
  publicUrl: string
  clientName: string
  completion: 'required' | 'optional'
  sessionSeconds: number
  authorizationSeconds: number
  waitingCodeSeconds: number
  verifyFunctions: boolean
  keepGrants: boolean
  connectionPut: boolean
  healthSeconds: number
  escrowSeconds: number
  backlogPerTenant: number
  importsAtOnce: number
  rates: Rates
}

export type LinkInProgress = { link: Link; done: Promise<Link> }
