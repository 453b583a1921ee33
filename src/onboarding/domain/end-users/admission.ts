import { typedValues } from '../catalogue/integration-values.ts'
import type { Connection } from '../connection.ts'
import type { Profile } from '../integration.ts'
import type { Config, UpstreamAccount } from '../link.ts'
import type { IfConnected } from './if-connected.ts'

/** Skips the comparison, which costs a lock, if it cannot change the outcome. */
export const isCompared = ({ ifConnected, maxConnections, account }: Omit<Applicant, 'config'>): boolean =>
  maxConnections > 0 ||
  (ifConnected !== 'add' && account !== undefined && !(ifConnected === 'relink' && account.claimed))

export type Admission =
  | { kind: 'add' }
  | { kind: 'relink'; connection: Connection }
  | { kind: 'refuse'; cause: 'already_connected' | 'connection_limit' }

type Applicant = {
  ifConnected: IfConnected
  maxConnections: number
  config: Config
  account: UpstreamAccount | undefined
}

/** `inUse`: the user's connections to the integration, and those of the account that was just granted. */
export function admission(
  { ifConnected, maxConnections, config, account }: Applicant,
  inUse: UserConnections,
  profile: Pick<Profile, 'inputs'>,
): Admission {
  const same = inUse.ofAccount.filter((connection) => isTypedAlike(profile, connection.config, config))
  const [verified] = account?.claimed ? [] : same.filter(isVerified).toSorted(brokenFirst)
  if (verified && ifConnected === 'relink') return { kind: 'relink', connection: verified }
  if (same.length > 0 && ifConnected === 'refuse') return { kind: 'refuse', cause: 'already_connected' }
  return isFull(maxConnections, inUse.count) ? { kind: 'refuse', cause: 'connection_limit' } : { kind: 'add' }
}

/** A claimed account may be another one: its connection must not get the grant. */
const isVerified = ({ account }: Connection): boolean => account !== undefined && !account.claimed

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
