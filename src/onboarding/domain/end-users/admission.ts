import { typedValues } from '../catalogue/integration-values.ts'
import type { Connection } from '../connection.ts'
import type { Profile } from '../integration.ts'
import type { Config } from '../link.ts'
import type { IfConnected } from './if-connected.ts'

/** Most links skip the comparison, which costs a lock. */
export const isCompared = (ifConnected: IfConnected, maxConnections: number): boolean =>
  ifConnected !== 'add' || maxConnections > 0

export type Admission =
  | { kind: 'add' }
  | { kind: 'relink'; connection: Connection }
  | { kind: 'refuse'; cause: 'already_connected' | 'connection_limit' }

type Applicant = {
  ifConnected: IfConnected
  maxConnections: number
  config: Config
}

/** `inUse`: the user's connections to the integration, and those of the account that was just granted. */
export function admission(
  { ifConnected, maxConnections, config }: Applicant,
  inUse: UserConnections,
  profile: Pick<Profile, 'inputs'>,
): Admission {
  const same = inUse.ofAccount.filter((connection) => isTypedAlike(profile, connection.config, config))
  const [first] = same.toSorted(brokenFirst)
  if (first && ifConnected === 'relink') return { kind: 'relink', connection: first }
  if (first && ifConnected === 'refuse') return { kind: 'refuse', cause: 'already_connected' }
  return isFull(maxConnections, inUse.count) ? { kind: 'refuse', cause: 'connection_limit' } : { kind: 'add' }
}

export type UserConnections = { count: number; ofAccount: Connection[] }

export type ConnectionOwner = { tenant: string; integration: string; endUserId: string }

export const isFull = (maxConnections: number, count: number): boolean => maxConnections > 0 && count >= maxConnections

/** A user may have the same ID at two subdomains of one app. */
function isTypedAlike(profile: Pick<Profile, 'inputs'>, known: Config, typed: Config): boolean {
  const [before, now] = [typedValues(profile, known), typedValues(profile, typed)]
  return Object.keys({ ...before, ...now }).every((name) => before[name] === now[name])
}

const brokenFirst = (a: Connection, b: Connection): number =>
  Number(b.status === 'needs_relink') - Number(a.status === 'needs_relink')
