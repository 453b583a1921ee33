import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { maxEntries } from '../../../kit/cache/ttl-cache.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import {
  AnswerUnread,
  type Connection,
  GrantRevoked,
  isLinked,
  mayBeSentAgain,
  NotLinked,
  reportedError,
  ThirdPartyError,
  unrefreshedToken,
  type Workloads,
} from '../domain/connection.ts'
import type { Integration } from '../domain/integration.ts'
import type { AccessToken, AccessTokens, ThirdParty, TokenAnswer } from '../domain/ports.ts'

export type GetAccessToken = (integration: Integration, connection: Connection, refused?: Secret) => Promise<Secret>

/** Without `goodUntil` it does not expire. */
type LiveToken = { token: Secret; goodUntil?: Date }
export type GetLiveToken = (integration: Integration, connection: Connection, refused?: Secret) => Promise<LiveToken>

type Needs = {
  accessTokens: AccessTokens
  thirdParty: Pick<ThirdParty, 'refresh' | 'readAgain'>
  workloads: Pick<Workloads, 'rotateRefreshToken' | 'findConnection'>
  now: () => Date
  pause: (ms: number) => Promise<void>
}

const leaseMs = 15_000
/** Only new secrets help, so calls fail without a retry for this long. */
const brokenForMs = 10_000
const remembered = 10_000

export const tokensOf =
  (live: GetLiveToken): GetAccessToken =>
  async (...wanted) =>
    (await live(...wanted)).token

/** One refresh at a time per connection: callers in a process share it, processes take a lease. */
export const getLiveToken = (needs: Needs): GetLiveToken => {
  const flights = new Map<string, Promise<AccessToken>>()
  const known = new LRUCache<string, AccessToken>(maxEntries(remembered))
  const perf = { now: () => needs.now().getTime() }
  const broken = new LRUCache<string, true>({ ...maxEntries(remembered), ttl: brokenForMs, ttlResolution: 0, perf })
  const fly = (key: string, integration: Integration, connection: Connection, refused?: Secret) => {
    const flight = fetchToken(needs, integration, connection, refused)
    flights.set(key, flight)
    flight
      .then((token) => known.set(key, token))
      .catch((error) => error instanceof GrantRevoked && broken.set(key, true))
      .finally(() => flights.delete(key))
    return flight
  }
  return async (integration, connection, refused) => {
    if (!isLinked(connection)) throw new NotLinked(connection.name)
    const unrefreshed = unrefreshedToken(connection, refused)
    if (unrefreshed) return { token: unrefreshed }
    const key = `${connection.id}:${connection.version}`
    const cached = known.get(key)
    if (cached && usable(cached, refused, needs.now())) return cached
    if (broken.has(key)) throw new GrantRevoked(connection.name)
    const underWay = await flights.get(key)
    if (underWay && usable(underWay, refused, needs.now())) return underWay
    return flights.get(key) ?? fly(key, integration, connection, refused)
  }
}

/** Secrets may be replaced during a request, so each attempt reads the connection again. */
async function fetchToken(needs: Needs, integration: Integration, asked: Connection, refused?: Secret) {
  const owner = randomUUID()
  for (const deadline = needs.now().getTime() + leaseMs; needs.now().getTime() < deadline; await needs.pause(50)) {
    const connection = await newest(needs, asked)
    const stored = await needs.accessTokens.find(connection)
    if (stored && usable(stored, refused, needs.now())) return stored
    const until = new Date(needs.now().getTime() + leaseMs)
    const leased = await needs.accessTokens.lease(connection, owner, until, stored)
    const token = leased && (await refresh(needs, integration, connection, owner))
    if (token) return token
  }
  throw new ThirdPartyError('Another refresh of this connection is still in progress.')
}

const newest = async ({ workloads }: Needs, connection: Connection): Promise<Connection> =>
  (await workloads.findConnection(connection.workspace, connection.name)) ?? connection

/** Returns undefined if the secrets were replaced, or if a kept response had an expired access token. */
async function refresh(needs: Needs, integration: Integration, leased: Connection, owner: string) {
  // Read again under the lease: another process may have rotated the refresh token.
  const connection = await newest(needs, leased)
  try {
    if (!sameSecrets(connection, leased)) return void (await needs.accessTokens.release(leased, owner))
    const kept = await needs.accessTokens.findUnread(connection)
    const answer = await tokenAnswer(needs, { integration, connection, owner }, kept)
    // Save the refresh token first: the third party may have revoked the old one.
    const { refreshToken } = answer
    if (refreshToken) await insist(needs, () => needs.workloads.rotateRefreshToken(connection, refreshToken))
    if (!answer.accessToken) {
      await needs.accessTokens.keepUnread(connection, owner, undefined)
      throw new ThirdPartyError('The token endpoint returned no access token.')
    }
    const token = { token: answer.accessToken, goodUntil: goodUntil(answer.receivedAt, answer.expiresInSeconds) }
    await needs.accessTokens.save(connection, owner, token)
    return kept && !usable(token, undefined, needs.now()) ? undefined : token
  } catch (error) {
    await needs.accessTokens.release(leased, owner)
    if (error instanceof GrantRevoked && !sameSecrets(await newest(needs, leased), leased)) return undefined
    throw error
  }
}

type RefreshInput = { integration: Integration; connection: Connection; owner: string }

/** Reads a kept response before it sends a new request: it may contain the current refresh token. */
async function tokenAnswer(needs: Needs, input: RefreshInput, kept: Secret | undefined): Promise<TokenAnswer> {
  const { thirdParty, accessTokens } = needs
  const { integration, connection, owner } = input
  try {
    return kept
      ? thirdParty.readAgain(integration, connection, kept)
      : await thirdParty.refresh(integration, connection)
  } catch (error) {
    const unread = error instanceof AnswerUnread ? error : undefined
    if (kept && (!unread || mayBeSentAgain(integration, unread))) return tokenAnswer(needs, input, undefined)
    if (!unread) throw error
    if (!kept) await insist(needs, () => accessTokens.keepUnread(connection, owner, unread.answer))
    throw reportedError(unread, integration, connection)
  }
}

const sameSecrets = (one: Connection, other: Connection) => one.id === other.id && one.version === other.version

/** The token is only in memory until it is stored, so a failing store is retried. */
async function insist({ pause }: Pick<Needs, 'pause'>, store: () => Promise<void>): Promise<void> {
  for (let attemptsLeft = 8; ; attemptsLeft--) {
    try {
      return await store()
    } catch (error) {
      if (attemptsLeft === 0) throw error
      await pause(500)
    }
  }
}

/** Leaves time to reach the third party. Short-lived tokens are used for half of their life. */
function goodUntil(from: Date, expiresInSeconds: number): Date {
  return new Date(from.getTime() + Math.max(expiresInSeconds - 30, expiresInSeconds / 2) * 1000)
}

function usable({ token, goodUntil }: AccessToken, refused: Secret | undefined, now: Date): boolean {
  return goodUntil > now && token.reveal() !== refused?.reveal()
}
