// What has to hold after every schedule. Each violation is one sentence.
import { isEnded } from '../../../src/onboarding/domain/link.ts'
import type { LinkRow, Tables } from '../memory/tables.ts'
import type { rememberingPlatform, rememberingProvider } from './third-parties.ts'

export type Outcome = {
  tables: Tables
  provider: ReturnType<typeof rememberingProvider>
  platform: ReturnType<typeof rememberingPlatform>
  /** Link by the state of its authorization. */
  linkOf: Map<string, string>
  /** Links whose users were told that they are linked. */
  toldLinked: Set<string>
  disasters: {
    /** The ledger lost its newest writes. Even then no code is sent again. */
    hasLostWrites: boolean
    isOfRedis: boolean
  }
  /** Calls that failed, without those of a store that was away. */
  faults: { drawn: number }
  /** Decrypts a stored grant. */
  unseal(sealed: string, link: LinkRow): string
}

export function brokenPromises(outcome: Outcome): string[] {
  const links = [...outcome.tables.links.values()]
  if (outcome.disasters.hasLostWrites)
    return [
      ...codesSentTwice(outcome),
      ...abandonedAfterSending(outcome),
      ...links.flatMap(standstill),
      // The connection of a re-link was there before.
      ...links.filter(({ kind }) => kind === 'first').flatMap((link) => told(outcome, link)),
    ]
  return [
    ...codesSentTwice(outcome),
    ...tokens(outcome),
    ...twins(outcome, links),
    ...links.flatMap((link) => [
      ...standstill(link),
      ...resources(outcome, link),
      ...record(outcome, link),
      ...told(outcome, link),
    ]),
    ...grantsInUse(outcome),
  ]
}

const codesSentTwice = ({ provider }: Outcome) =>
  [...provider.codes].filter(([, { uses }]) => uses > 1).map(([code]) => `${code} was sent twice`)

/** Redis remembers what the ledger lost. A user who chose another account than before is asked again. */
const abandonedAfterSending = ({ provider, tables, linkOf }: Outcome) =>
  provider.issued
    .map(({ state }) => tables.links.get(linkOf.get(state) ?? ''))
    .filter((link) => link?.state === 'abandoned' && link.cause !== 'account_mismatch')
    .map(() => 'a link is abandoned although its code was sent')

function tokens(outcome: Outcome): string[] {
  const { provider, platform, tables, linkOf } = outcome
  const delivered = new Set([...platform.connections.values()].map(({ token }) => token))
  const kept = keptTokens(outcome)
  const used = new Set(provider.issued.filter(({ token }) => delivered.has(token)).map(({ account }) => account))
  return provider.issued.flatMap(({ token, state, account, isRevoked }) => {
    const link = tables.links.get(linkOf.get(state) ?? '')
    if (isHalfDone(outcome, link)) return []
    if (delivered.has(token) && isRevoked) return [`the platform holds ${token}, which was revoked`]
    const isFound = delivered.has(token) || isRevoked || kept.has(token)
    if (isFound || mayBeUnknown(outcome, link)) return []
    // Its revocation would end a grant in use, or one that a consent under way could bring.
    if (provider.revokesGrant && (used.has(account) || isLeft(outcome, link))) return []
    return [`${token} is lost: its link is ${link?.state ?? 'unknown'} (${link?.cause})`]
  })
}

/** A grant that arrived and could not be stored is revoked, unless its account is shared or Redis could not be asked. */
const mayBeUnknown = ({ provider, faults, disasters }: Outcome, link: LinkRow | undefined) =>
  link?.state === 'exchange_unknown' && (provider.revokesGrant || faults.drawn > 0 || disasters.isOfRedis)

/** A failed task is reported, and somebody starts another. */
const isHalfDone = ({ tables }: Pick<Outcome, 'tables'>, link: LinkRow | undefined): boolean =>
  [...tables.tasks.values()].some(({ step, connectionId }) => step === 'failed' && connectionId === link?.connectionId)

const leftBehind: readonly unknown[] = ['shared', 'forgotten']

const isLeft = ({ tables }: Outcome, link: LinkRow | undefined): boolean =>
  tables.audit.some(({ entry: { link: id, connection, facts = {} } }) => {
    const { grant, revocation, previousGrant } = facts as Record<string, unknown>
    const isSaid = leftBehind.includes(grant ?? revocation ?? previousGrant)
    return isSaid && (id === link?.id || connection === link?.connectionId)
  })

/** A health check would refresh the grant that the ledger knows. */
function grantsInUse({ tables, platform, unseal }: Outcome): string[] {
  return [...tables.storedGrants.values()].flatMap(({ connectionId, linkId, slot, sealed }) => {
    const link = tables.links.get(linkId)
    const held = [...platform.connections.values()].find(({ owner }) => owner === connectionId)
    const isOpen = [...tables.links.values()].some((each) => each.connectionId === connectionId && !isEnded(each.state))
    if (slot !== 'current' || !sealed || !link || !held || isOpen || isHalfDone({ tables }, link)) return []
    const { token } = JSON.parse(unseal(sealed, link))
    return held.token === token ? [] : [`the platform holds ${held.token}, and the ledger ${token}`]
  })
}

function keptTokens({ tables, unseal }: Outcome): Set<string> {
  const kept = new Set<string>()
  const keep = (linkId: string, sealed: string | undefined) => {
    const link = tables.links.get(linkId)
    if (link && sealed) kept.add(JSON.parse(unseal(sealed, link)).token)
  }
  for (const [linkId, { sealed }] of tables.escrow) keep(linkId, sealed)
  for (const { linkId, sealed } of tables.storedGrants.values()) keep(linkId, sealed)
  return kept
}

/** The default of the API: connecting an account again reconnects it. */
function twins({ tables }: Outcome, links: LinkRow[]): string[] {
  const mayBeTwin = ({ kind, ifConnected, allowOtherAccount }: LinkRow) =>
    allowOtherAccount || (kind === 'first' && ifConnected === 'add')
  const allowed = new Set(links.filter(mayBeTwin).map(({ connectionId }) => connectionId))
  const accounts = [...tables.connections.values()]
    .filter(({ id, status }) => status === 'active' && !allowed.has(id))
    .map(({ endUserId, account }) => `${account?.id} of ${endUserId}`)
  return accounts.filter((each, at) => accounts.indexOf(each) !== at).map((each) => `${each} is connected twice`)
}

const standstill = ({ state, dueAt }: LinkRow) =>
  isEnded(state) || state === 'needs_attention'
    ? []
    : [`a link stays ${state}${dueAt ? '' : ' and nobody looks at it'}`]

function resources(outcome: Outcome, link: LinkRow): string[] {
  const { platform, tables } = outcome
  const { state, kind, connectionId, cause } = link
  const owned = (things: Map<string, { owner: string }>) =>
    [...things.values()].filter(({ owner }) => owner === connectionId).length
  const [connections, functions] = [owned(platform.connections), owned(platform.functions)]
  if (connections > 1 || functions > 1) return [`link ${state}: ${connections} connections, ${functions} functions`]
  if (isHalfDone(outcome, link)) return []
  const status = tables.connections.get(connectionId)?.status
  if (status === 'active') return connections + functions === 2 ? [] : [`link ${state}: its connection is not there`]
  if (state === 'linked' && !status) return ['link linked: the ledger has no connection']
  const isOver = status === 'disconnected' || (kind === 'first' && isEnded(state))
  return isOver && connections + functions > 0
    ? [`link ${state} (${cause}): it left ${connections} connections and ${functions} functions`]
    : []
}

function record({ tables }: Outcome, { id, state, cause }: LinkRow): string[] {
  const times = (action: string) =>
    tables.audit.filter(({ entry }) => entry.link === id && entry.action === action).length
  const starts = times('link.started')
  const problems = starts === 1 ? [] : [`link ${state}: started ${starts} times`]
  if (!isEnded(state)) return problems
  const ends = times(`link.${state}`)
  if (ends !== 1) problems.push(`link ${state}: its end is on record ${ends} times`)
  const events = [...tables.outbox.values()].filter(({ payload }) => payload.linkId === id).length
  if (events !== 1) problems.push(`link ${state} (${cause}): the tenant is told ${events} times`)
  if (tables.escrow.has(id)) problems.push(`link ${state}: its escrow is not empty`)
  return problems
}

const told = ({ toldLinked }: Outcome, { id, state }: LinkRow) =>
  toldLinked.has(id) && state !== 'linked' ? [`a user was told linked, and the link is ${state}`] : []
