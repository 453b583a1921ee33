import { expect, test } from 'vitest'
import { ProfileShape } from '../../../src/contract/integrations/profile-shape.ts'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { createLog } from '../../../src/kit/process/log.ts'
import { type Connection, GrantRevoked } from '../../../src/platform/gateway/domain/connection.ts'
import { refreshIdleGrants } from '../../../src/platform/gateway/flows/refresh-idle-grants.ts'
import { platformEvents } from '../../../src/platform/shared/domain/log-events.ts'

const now = new Date('2026-11-16T12:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60 * 1_000)

const profile = (id: string, more: object) =>
  ProfileShape.parse({
    id,
    displayName: id,
    endpoints: { authorization: 'https://x.example/a', token: 'https://x.example/t' },
    ...more,
  })
const all = [profile('forgetful', { refreshIdleDays: 60 }), profile('patient', {})]
const integrations = {
  all: () => all,
  get: (id: string) => all.find((each) => each.id === id),
  ids: () => new Set<string>(),
}

async function refreshedOf(lastRefreshes: Record<string, Date | undefined>, broken: string[] = []) {
  const refreshed: string[] = []
  const run = refreshIdleGrants({
    integrations,
    workloads: {
      connectionsTo: async (wanted) =>
        wanted.includes('forgetful') ? Object.keys(lastRefreshes).map((name) => ({ workspace: 'acme', name })) : [],
      findConnection: async (workspace, name): Promise<Connection> => ({
        id: name,
        version: 1,
        workspace,
        name,
        integration: 'forgetful',
        config: {},
        secrets: new Secret({ REFRESH_TOKEN: 'r' }),
      }),
    },
    accessTokens: {
      find: async ({ name }) => {
        const goodUntil = lastRefreshes[name]
        return goodUntil && { token: new Secret('t'), goodUntil, envelope: '' }
      },
    },
    accessToken: async (_integration, { name }) => {
      refreshed.push(name)
      if (broken.includes(name)) throw new GrantRevoked(name)
      return new Secret('t')
    },
    log: createLog('test', 'silent', platformEvents),
    now: () => now,
  })
  await run()
  return refreshed
}

test("row 13: refreshes a grant that was unused for half of the third party's limit", async () => {
  expect(await refreshedOf({ used: daysAgo(1), idle: daysAgo(31), never: undefined })).toEqual(['idle', 'never'])
})

test('row 13: a dead grant does not block the refresh of others', async () => {
  expect(await refreshedOf({ dead: daysAgo(90), idle: daysAgo(31) }, ['dead'])).toEqual(['dead', 'idle'])
})
