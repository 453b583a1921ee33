import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { atMost } from '../../../kit/cache/ttl-cache.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import { type Connection, GrantRevoked, ThirdPartyError, type Workloads } from '../domain/connection.ts'
import type { Integration } from '../domain/integration.ts'
import type { AccessToken, AccessTokens, ThirdParty } from '../domain/ports.ts'
import { unrefreshedToken } from '../domain/unrefreshed-token.ts'

/** `refused` is a token the third party did not take although it looked alive. */
export type GetAccessToken = (integration: Integration, connection: Connection, refused?: Secret) => Promise<Secret>

type Needs = {
  accessTokens: AccessTokens
  thirdParty: Pick<ThirdParty, 'refresh'>
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

/** Returns undefined if the secrets were replaced meanwhile: a token of the old ones is of no use for the new. */
async function refresh(needs: Needs, integration: Integration, leased: Connection, owner: string) {
  // Read again under the lease: another process may have rotated the refresh token since.
  const connection = await newest(needs, leased)
  try {
    if (!sameSecrets(connection, leased)) return await release(needs, leased, owner)
    const answer = await needs.thirdParty.refresh(integration, connection)
    // First the refresh token: the third party may have forgotten the old one already.
    if (answer.refreshToken) await keep(needs, connection, answer.refreshToken)
    const token = { token: answer.accessToken, goodUntil: goodUntil(needs.now(), answer.expiresInSeconds) }
    await needs.accessTokens.save(connection, owner, token)
    return token
  } catch (error) {
    await release(needs, leased, owner)
    if (error instanceof GrantRevoked && !sameSecrets(await newest(needs, leased), leased)) return undefined
    throw error
  }
}

const sameSecrets = (one: Connection, other: Connection) => one.id === other.id && one.version === other.version

async function release({ accessTokens }: Needs, connection: Connection, owner: string): Promise<undefined> {
  await accessTokens.release(connection, owner)
}

/** The new refresh token is only in memory until this succeeds, so a failing store is tried several times. */
async function keep({ workloads, pause }: Needs, connection: Connection, refreshToken: Secret): Promise<void> {
  for (let attemptsLeft = 8; ; attemptsLeft--) {
    try {
      return await workloads.rotateRefreshToken(connection, refreshToken)
    } catch (error) {
      if (attemptsLeft === 0) throw error
      await pause(500)
    }
  }
}

/** A token that dies on its way to the third party helps nobody; a short-lived one still serves half of its life. */
function goodUntil(now: Date, expiresInSeconds: number): Date {
  return new Date(now.getTime() + Math.max(expiresInSeconds - 30, expiresInSeconds / 2) * 1000)
}

function usable({ token, goodUntil }: AccessToken, refused: Secret | undefined, now: Date): boolean {
  return goodUntil > now && token.reveal() !== refused?.reveal()
}
