// Doubles of the provider, the platform and webhook receivers as ports. A test replaces the methods that it wants to
// fail.
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { Cause } from '../../../src/onboarding/domain/cause.ts'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import type {
  Approval,
  Approvals,
  GrantProblem,
  GrantProblems,
} from '../../../src/onboarding/domain/ports/connections.ts'
import type { ProviderProbes } from '../../../src/onboarding/domain/ports/doctor.ts'
import type { FunctionAccess, Repair } from '../../../src/onboarding/domain/ports/function-access.ts'
import type { IntegrationSettingsPorts } from '../../../src/onboarding/domain/ports/integration-settings.ts'
import {
  type NoGrant,
  type Platform,
  type PlatformAnswer,
  type PlatformGrant,
  type PlatformLook,
  type PlatformProbe,
  platformMethods,
  simulatedAnswer,
} from '../../../src/onboarding/domain/ports/platform.ts'
import type { Grant, Provider } from '../../../src/onboarding/domain/ports/provider.ts'
import type { ToolList, ToolLists } from '../../../src/onboarding/domain/ports/tool-lists.ts'
import type { WebhookMessage, WebhookSender } from '../../../src/onboarding/domain/ports/webhooks.ts'

/** One that is away for the moment. */
export const isAway = (cause: Cause) => async (): Promise<never> => {
  throw new DependencyError(cause, { retry: {}, detail: 'double' })
}

/** One that says no, and will say so again. */
export const refuses = (cause: Cause) => async (): Promise<never> => {
  throw new DependencyError(cause, { detail: 'double' })
}

/** Throws an unexpected error. */
export const breaks = async (): Promise<never> => {
  throw new TypeError('a double broke')
}

const account = { id: 'account-1', label: 'user@files.example' }

export const grantOf = (more: Partial<Grant> = {}): Grant => ({
  refreshToken: new Secret('refresh-1'),
  scopes: ['files.read'],
  account,
  ...more,
})

/** One that does not tell its names; a test says what it answers instead. */
export function probeDouble(): PlatformProbe & { answer: PlatformLook } {
  const double = {
    answer: { problem: undefined, workspaces: undefined, integrations: undefined } as PlatformLook,
    look: async () => double.answer,
  }
  return double
}

type ProviderDouble = Provider & { calls: string[] }

/** The escrow contains the refresh token itself. Each refresh returns the next one. */
export function providerDouble(): ProviderDouble {
  const calls: string[] = []
  const called = (name: string) => void calls.push(name)
  return {
    calls,
    async authorizationUrl({ state, forceConsent, account: wanted }) {
      called('authorizationUrl')
      const query = new URLSearchParams({ state, ...(forceConsent && { prompt: 'consent' }) })
      if (wanted) query.set('login_hint', wanted.label)
      return `https://provider.example/authorize?${query}`
    },
    issuerOf: async () => ({ issuer: undefined, promised: false }),
    async exchange({ keep }) {
      called('exchange')
      await keep(new Secret('refresh-1'))
      return grantOf()
    },
    reread: async () => grantOf(),
    async refresh({ keep }) {
      called('refresh')
      await keep(new Secret('refresh-2'))
      return { rotated: true }
    },
    rereadRefresh: async () => ({ rotated: true }),
    describeRefresh: async () => ({ account, scopes: undefined, config: {} }),
    wrapRefreshToken: (refreshToken) => refreshToken,
    tokensOf: (_integration, raw, trialRefresh) => ({ refreshToken: trialRefresh ?? raw }),
    refreshToKeep: (_trialRefresh, answer) => answer,
    async revoke(_, raw) {
      called(`revoke ${raw.reveal()}`)
      return 'revoked'
    },
  }
}

const tokenIn = (grant: PlatformGrant | NoGrant): string =>
  grant.client ? (grant.refreshToken ?? grant.accessToken).reveal() : 'without a grant'

type PlatformDouble = Platform & { calls: string[] }

export const platformAnswer = { ...simulatedAnswer('https://functions.example/files'), tools: ['list_files'] }

/** A platform whose calls are all answered by `answer`. */
export function platformThat(answer: (method: keyof Platform, args: unknown[]) => Promise<PlatformAnswer>) {
  const calls = platformMethods.map((method) => [method, async (...args: unknown[]) => answer(method, args)])
  return Object.fromEntries(calls) as Platform
}

export function platformDouble(): PlatformDouble {
  const calls: string[] = []
  const platform = platformThat(async (method, args) => {
    const detail = details[method] as ((...args: unknown[]) => string) | undefined
    calls.push(detail ? `${method} ${detail(...args)}` : method)
    return platformAnswer
  })
  return { calls, ...platform }
}

/** Recorded with the name of the method. */
const details: { [Method in keyof Platform]?: (...args: Parameters<Platform[Method]>) => string } = {
  createConnection: ({ connectionName }, grant) => `${connectionName} ${tokenIn(grant)}`,
  replaceConnection: (_, grant) => tokenIn(grant),
  pointFunction: ({ connectionName }) => connectionName,
  deleteConnection: ({ connectionName }) => connectionName,
}

/** One login and one grant, until it is revoked. */
export function functionAccessDouble(): FunctionAccess & {
  logins: Array<{ id: string; label: string }>
  ended: string[]
  tickets: Map<string, Repair>
} {
  const tickets = new Map<string, Repair>()
  const logins: Array<{ id: string; label: string }> = []
  const ended: string[] = []
  const createdAt = new Date('2026-01-01T00:00:00Z')
  let grants = [
    {
      id: 'fg_1',
      account: 'a',
      app: { clientId: 'c', name: 'App', redirectsTo: 'b' },
      scopes: ['tools:read'],
      createdAt,
    },
  ]
  return {
    logins,
    ended,
    tickets,
    async redeemRepair({ connectionName }, ticket) {
      const key = `${connectionName}|${ticket}`
      const repair = tickets.get(key)
      tickets.delete(key)
      return repair
    },
    async createLogin(_, endUser) {
      logins.push(endUser)
      return { url: 'https://auth.example/login', mcpUrl: 'https://functions.example/files/mcp', expiresAt: createdAt }
    },
    async endLogins(_, endUserId) {
      ended.push(endUserId)
    },
    listGrants: async () => grants,
    listCalls: async () => [{ at: createdAt, tool: 'list_files', succeeded: true, caller: 'Acme' }],
    async revokeGrant(_, id) {
      const before = grants.length
      grants = grants.filter((grant) => grant.id !== id)
      return grants.length < before
    },
  }
}

/** A platform without pinned tools, until a test sets a list. */
export function toolListsDouble(): ToolLists & { list: ToolList | undefined } {
  return {
    list: undefined,
    async find() {
      return this.list
    },
    async approve(_, __, hash) {
      const { list } = this
      if (list?.pending?.hash !== hash) return false
      this.list = { ...list, approved: { ...list.pending, at: list.seenAt, by: 'robot' }, pending: undefined }
      return true
    },
  }
}

/** A platform without grant problems, until a test adds some. */
export function grantProblemsDouble(): GrantProblems & { noted: GrantProblem[] } {
  return {
    noted: [],
    async since(at) {
      return this.noted.filter((problem) => problem.at >= at)
    },
    async of({ workspace, name }) {
      return this.noted.filter((problem) => problem.workspace === workspace && problem.connectionName === name)
    },
  }
}

/** A platform without approvals, until a test adds some. */
export function approvalsDouble(): Approvals & { noted: Approval[] } {
  return {
    noted: [],
    async since(at) {
      return this.noted.filter(({ changedAt }) => changedAt >= at)
    },
    async of({ workspace, name }) {
      return this.noted.filter((approval) => approval.workspace === workspace && approval.connectionName === name)
    },
  }
}

/** A token endpoint that answers a junk code with `error`: without one, nothing is known of the client. */
export function probesDouble() {
  const double = {
    error: 'invalid_grant' as string | undefined,
    asked: 0,
    async token() {
      double.asked += 1
      const { error } = double
      return { status: 400, date: undefined, error, description: undefined, location: undefined, text: '' }
    },
  }
  return double as typeof double & ProviderProbes
}

type SenderDouble = WebhookSender & { sent: WebhookMessage[] }

export function senderDouble(): SenderDouble {
  const sent: WebhookMessage[] = []
  return {
    sent,
    mayCall: (url) => url.startsWith('https://'),
    async send(message) {
      sent.push(message)
      return { responseStatus: 204, retryAfterSeconds: undefined }
    },
  }
}

/** A promise that answers when the test says so. */
export function later<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<T>((...settle) => {
    ;[resolve, reject] = settle
  })
  return { promise, resolve, reject }
}

/** Throws once, before or after the method did its work. Returns whether it has. */
export function dieOnce<T extends object>(port: T, call: keyof T, at: 'before' | 'after'): () => boolean {
  const act = port[call]
  const dying = async (...given: unknown[]) => {
    port[call] = act
    if (at === 'after') await (act as (...given: unknown[]) => Promise<unknown>)(...given)
    return breaks()
  }
  port[call] = dying as T[keyof T]
  return () => port[call] === act
}

/** Flows with settings are tested with PostgreSQL. */
export const settingsDouble = (): IntegrationSettingsPorts => {
  const none = () => Promise.reject(new Error('no settings in memory'))
  const versions = { latest: async () => undefined, find: async () => undefined, history: none, append: none }
  return {
    settingVersions: { ...versions, newest: async () => 0, current: async () => [], connectionsOf: async () => 0 },
    toolPolicies: { ...versions, placed: async () => [] },
    platformPolicies: { effective: async () => undefined },
    served: {
      read: () => ({ problems: [] }),
      replace: () => [],
      withoutSettings: () => undefined,
      isInFile: () => true,
    },
    followSettings: async () => ({ text: '{}', tag: '""' }),
    mayBeCalled: () => true,
  }
}
