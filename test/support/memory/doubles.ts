// The provider, the platform and receivers of webhooks as ports that do as they are told: a test replaces the method that
// it wants to be rude.
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { Cause } from '../../../src/onboarding/domain/cause.ts'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import type { FunctionAccess } from '../../../src/onboarding/domain/ports/function-access.ts'
import type { GrantProblem, GrantProblems } from '../../../src/onboarding/domain/ports/grant-problems.ts'
import type {
  Platform,
  PlatformGrant,
  PlatformLook,
  PlatformProbe,
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

/** One that breaks in a way nobody thought of. */
export const breaks = async (): Promise<never> => {
  throw new TypeError('a double broke')
}

export const account = { id: 'account-1', label: 'user@files.example' }

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

export type ProviderDouble = Provider & { calls: string[] }

/** What is in escrow is the refresh token itself; what a refresh brings is the next one. */
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

const tokenIn = ({ refreshToken, accessToken }: PlatformGrant): string => (refreshToken ?? accessToken).reveal()

export type PlatformDouble = Platform & { calls: string[] }

export function platformDouble(): PlatformDouble {
  const calls: string[] = []
  const done = (name: string) => async () => void calls.push(name)
  const url = 'https://functions.example/files'
  return {
    calls,
    createConnection: async (at, grant) => void calls.push(`createConnection ${at.connectionName} ${tokenIn(grant)}`),
    async createFunction() {
      calls.push('createFunction')
      return { url }
    },
    async verifyFunction() {
      calls.push('verifyFunction')
      return { tools: ['list_files'] }
    },
    replaceConnection: async (_, grant) => void calls.push(`replaceConnection ${tokenIn(grant)}`),
    async pointFunction(at) {
      calls.push(`pointFunction ${at.connectionName}`)
      return { url }
    },
    async restartFunction(_, { isDue }) {
      calls.push(isDue ? 'restartFunction' : 'lookAtFunction')
      return { message: undefined }
    },
    deleteFunction: done('deleteFunction'),
    deleteConnection: async (at) => void calls.push(`deleteConnection ${at.connectionName}`),
    async tryTool() {
      calls.push('tryTool')
      return { failed: false }
    },
  }
}

/** One login and one grant, until it is revoked. */
export function functionAccessDouble(): FunctionAccess & { logins: Array<{ id: string; label: string }> } {
  const logins: Array<{ id: string; label: string }> = []
  const createdAt = new Date('2026-01-01T00:00:00Z')
  let grants = [{ id: 'fg_1', account: 'a', app: { name: 'App', redirectsTo: 'b' }, scopes: ['tools:read'], createdAt }]
  return {
    logins,
    async createLogin(_, endUser) {
      logins.push(endUser)
      return { url: 'https://auth.example/login', mcpUrl: 'https://functions.example/files/mcp', expiresAt: createdAt }
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

/** A platform that pins no tools, until it is told a list. */
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

/** A platform that has noted nothing, until it is told what. */
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

export type SenderDouble = WebhookSender & { sent: WebhookMessage[] }

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
