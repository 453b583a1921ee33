import type { Secret } from '../../kit/crypto/secret.ts'
import type { Link } from './link.ts'
import type { Rates } from './rate-limit.ts'

export type Settings = {
  publicUrl: string
  supportUrl?: string | undefined
  clientName: string
  completion: 'required' | 'optional'
  sessionSeconds: number
  authorizationSeconds: number
  waitingCodeSeconds: number
  verifyFunctions: boolean
  keepGrants: boolean
  connectionPut: boolean
  platformRefreshes: boolean
  settingsKey?: Secret | undefined
  healthSeconds: number
  escrowSeconds: number
  backlogPerTenant: number
  importsAtOnce: number
  rates: Rates
}

export type LinkInProgress = { link: Link; done: Promise<Link> }
