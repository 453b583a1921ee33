import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { atMost } from '../../../kit/cache/ttl-cache.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import { AnswerUnread, type Connection, GrantRevoked, ThirdPartyError, type Workloads } from '../domain/connection.ts'
import { mayBeSentAgain, toldOf, unrefreshedToken } from '../domain/grant-without-refresh.ts'
import type { Integration } from '../domain/integration.ts'
import type { AccessToken, AccessTokens, ThirdParty, TokenAnswer } from '../domain/ports.ts'

/** `refused` is a token the third party did not take although it looked alive. */
export type GetAccessToken = (integration: Integration, connection: Connection, refused?: Secret) => Promise<Secret>

type Needs = {
  accessTokens: AccessTokens
  thirdParty: Pick<ThirdParty, 'refresh' | 'readAgain'>
  workloads: Pick<Workloads, 'rotateRefreshToken' | 'findConnection'>
  now: () => Date
  pause: (ms: number) => Promise<void>
}

const leaseMs = 15_000
/** A refused grant is not tried again at every call: only new secrets from its owner help. */
const brokenForMs = 10_000
const remembered = 10_000

/** One refresh at a time for each connection: callers in this process share it, processes take turns by lease. */
export const getAccessToken = (needs: Needs): GetAccessToken => {
  const flights = new Map<string, Promise<AccessToken>>()
  const known = new LRUCache<string, AccessToken>(atMost(remembered))
  const perf = { now: () => needs.now().getTime() }
  const broken = new LRUCache<string, true>({ ...atMost(remembered), ttl: brokenForMs, ttlResolution: 0, perf })
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
    const unrefreshed = unrefreshedToken(connection, refused)
    if (unrefreshed) return unrefreshed
    const key = `${connection.id}:${connection.version}`
    const cached = known.get(key)
    if (cached && usable(cached, refused, needs.now())) return cached.token
    if (broken.has(key)) throw new GrantRevoked(connection.name)
    const underWay = await flights.get(key)
    if (underWay && usable(underWay, refused, needs.now())) return underWay.token
    return (await (flights.get(key) ?? fly(key, integration, connection, refused))).token
  }
}

/** Secrets may be replaced while a request is under way: callers get a token of the newest grant. */
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
  throw new ThirdPartyError('Another refresh of this connection does not end.')
}

const newest = async ({ workloads }: Needs, connection: Connection): Promise<Connection> =>
  (await workloads.findConnection(connection.workspace, connection.name)) ?? connection

/**
 * Returns undefined if the secrets were replaced meanwhile, because a token of the old ones is of no use for the new, or
 * if an answer that was kept could be read, and its access token is too old by now.
 */
async function refresh(needs: Needs, integration: Integration, leased: Connection, owner: string) {
  // Read again under the lease: another process may have rotated the refresh token since.
  const connection = await newest(needs, leased)
  try {
    if (!sameSecrets(connection, leased)) return await release(needs, leased, owner)
    const kept = await needs.accessTokens.findUnread(connection)
    const answer = await tokenAnswer(needs, { integration, connection, owner }, kept)
    // First the refresh token: the third party may have forgotten the old one already.
    if (answer.refreshToken) await keep(needs, connection, answer.refreshToken)
    if (!answer.accessToken) return await withoutAccess(needs, connection, owner)
    const token = { token: answer.accessToken, goodUntil: goodUntil(answer.receivedAt, answer.expiresInSeconds) }
    await needs.accessTokens.save(connection, owner, token)
    return kept && !usable(token, undefined, needs.now()) ? undefined : token
  } catch (error) {
    await release(needs, leased, owner)
    if (error instanceof GrantRevoked && !sameSecrets(await newest(needs, leased), leased)) return undefined
    throw error
  }
}

type RefreshInput = { integration: Integration; connection: Connection; owner: string }

/** One that could not be read comes before a new one: it may hold the token that replaced the one we have. */
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
    throw toldOf(unread, integration, connection)
  }
}

/** The new refresh token is stored, so the next call has another chance. */
async function withoutAccess({ accessTokens }: Needs, connection: Connection, owner: string): Promise<never> {
  await accessTokens.keepUnread(connection, owner, undefined)
  throw new ThirdPartyError('The token endpoint answered without an access token.')
}

const sameSecrets = (one: Connection, other: Connection) => one.id === other.id && one.version === other.version

async function release({ accessTokens }: Needs, connection: Connection, owner: string): Promise<undefined> {
  await accessTokens.release(connection, owner)
}

const keep = (needs: Needs, connection: Connection, refreshToken: Secret): Promise<void> =>
  insist(needs, () => needs.workloads.rotateRefreshToken(connection, refreshToken))

/** What came is only in memory until this succeeds, so a failing store is tried several times. */
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

/** A token that dies on its way to the third party helps nobody; a short-lived one still serves half of its life. */
function goodUntil(from: Date, expiresInSeconds: number): Date {
  return new Date(from.getTime() + Math.max(expiresInSeconds - 30, expiresInSeconds / 2) * 1000)
}

function usable({ token, goodUntil }: AccessToken, refused: Secret | undefined, now: Date): boolean {
  return goodUntil > now && token.reveal() !== refused?.reveal()
}
