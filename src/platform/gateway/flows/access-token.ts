import { randomUUID } from 'node:crypto'
import type { Secret } from '../../../kit/secret.ts'
import { type Connection, ThirdPartyTrouble, type Workloads } from '../domain/connection.ts'
import type { Integration } from '../domain/integration.ts'
import type { AccessToken, AccessTokens, ThirdParty } from '../domain/ports.ts'

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

/** One refresh at a time for each connection: callers here share a flight, processes take turns by lease. */
export const getAccessToken = (needs: Needs): GetAccessToken => {
  const flights = new Map<string, Promise<AccessToken>>()
  const known = new Map<string, AccessToken>()
  return async (integration, connection, refused) => {
    const key = `${connection.id}:${connection.version}`
    const cached = known.get(key)
    if (cached && usable(cached, refused, needs.now())) return cached.token
    const flight = flights.get(key) ?? fetchToken(needs, integration, connection, refused)
    flights.set(key, flight)
    try {
      const fetched = await flight
      remember(known, key, fetched)
      return fetched.token
    } finally {
      if (flights.get(key) === flight) flights.delete(key)
    }
  }
}

async function fetchToken(needs: Needs, integration: Integration, connection: Connection, refused?: Secret) {
  const owner = randomUUID()
  for (const deadline = needs.now().getTime() + leaseMs; needs.now().getTime() < deadline; await needs.pause(50)) {
    const stored = await needs.accessTokens.find(connection)
    if (stored && usable(stored, refused, needs.now())) return stored
    const until = new Date(needs.now().getTime() + leaseMs)
    const leased = await needs.accessTokens.lease(connection, owner, until, stored)
    if (leased) return refresh(needs, integration, connection, owner)
  }
  throw new ThirdPartyTrouble('Another refresh of this connection does not end.')
}

async function refresh(needs: Needs, integration: Integration, connection: Connection, owner: string) {
  try {
    // Read again: another process may have rotated the refresh token since the request came in.
    const current = await needs.workloads.findConnection(connection.workspace, connection.name)
    const answer = await needs.thirdParty.refresh(integration, current ?? connection)
    // First the refresh token: the third party may have forgotten the old one already.
    if (answer.refreshToken) await needs.workloads.rotateRefreshToken(connection, answer.refreshToken)
    const token = { token: answer.accessToken, goodUntil: goodUntil(needs.now(), answer.expiresInSeconds) }
    await needs.accessTokens.save(connection, owner, token)
    return token
  } catch (error) {
    await needs.accessTokens.release(connection, owner)
    throw error
  }
}

/** A token that dies on its way to the third party helps nobody; a short-lived one still serves half of its life. */
function goodUntil(now: Date, expiresInSeconds: number): Date {
  return new Date(now.getTime() + Math.max(expiresInSeconds - 30, expiresInSeconds / 2) * 1000)
}

function usable({ token, goodUntil }: AccessToken, refused: Secret | undefined, now: Date): boolean {
  return goodUntil > now && token.reveal() !== refused?.reveal()
}

function remember(known: Map<string, AccessToken>, key: string, token: AccessToken) {
  known.delete(key)
  if (known.size >= 10_000) known.delete(known.keys().next().value as string)
  known.set(key, token)
}
