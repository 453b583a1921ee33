// A provider and a platform that remember what really happened, whatever their callers were told.
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import type { NoGrant, Platform, PlatformGrant, Provisioning } from '../../../src/onboarding/domain/ports/platform.ts'
import type { Grant, Provider, TokenRequest } from '../../../src/onboarding/domain/ports/provider.ts'
import { platformDouble, providerDouble } from '../memory/doubles.ts'

type Issued = { token: string; state: string; account: string; turn: number; isRevoked: boolean }

const tokenIn = (raw: Secret): string => JSON.parse(raw.reveal()).token

type Remembering = {
  revokesGrant: boolean
  turn: () => number
  /** Link and connection by the state of their authorization. */
  ownersOf(state: string): string[]
}

export function rememberingProvider({ revokesGrant, turn, ownersOf }: Remembering) {
  const codes = new Map<string, { state: string; account: string; uses: number }>()
  const issued: Issued[] = []
  const grantIn = (raw: Secret): Grant => {
    const { token, account } = JSON.parse(raw.reveal())
    return { refreshToken: new Secret(token), scopes: ['files.read'], account: { id: account, label: account } }
  }
  /** What the provider does when the request arrives. */
  function redeem({ code }: Pick<TokenRequest, 'code'>): Secret {
    const found = codes.get(code.reveal())
    if (!found) throw new DependencyError('code_refused', { detail: 'unknown' })
    found.uses++
    if (found.uses > 1) throw new DependencyError('code_refused', { detail: 'used' })
    const token = `refresh-${issued.length + 1}`
    issued.push({ token, state: found.state, account: found.account, turn: turn(), isRevoked: false })
    return new Secret(JSON.stringify({ token, account: found.account }))
  }
  const provider = {
    revokesGrant,
    codes,
    issued,
    redeem,
    grantIn,
    /**
     * When open consents were looked for, by the link or connection whose grant was to be revoked. One that begins later
     * is not found, which the product accepts: its tokens live on here, so that it is no violation.
     */
    lookedAt: new Map<string, number>(),
    consent(state: string, account: string): Secret {
      const code = `code-${codes.size + 1}`
      codes.set(code, { state, account, uses: 0 })
      return new Secret(code)
    },
    port: {
      ...providerDouble(),
      reread: async (_request, raw) => grantIn(raw),
      async refresh({ raw, keep }) {
        if (issued.find(({ token }) => token === tokenIn(raw))?.isRevoked) throw new DependencyError('grant_revoked')
        await keep(raw)
        return { rotated: false }
      },
      rereadRefresh: async () => ({ rotated: false }),
      tokensOf: (_integration, raw) => ({ refreshToken: new Secret(tokenIn(raw)) }),
      async revoke(_request, raw) {
        const revoked = issued.find(({ token }) => token === tokenIn(raw))
        const times = (revoked ? ownersOf(revoked.state) : []).flatMap((id) => provider.lookedAt.get(id) ?? [])
        const lookedAt = times.length > 0 ? Math.max(...times) : Infinity
        const isEnded = (each: Issued) => revokesGrant && each.account === revoked?.account && each.turn <= lookedAt
        for (const each of issued) if (each === revoked || isEnded(each)) each.isRevoked = true
        return 'revoked'
      },
    } satisfies Provider,
  }
  return provider
}

const sentIn = (grant: PlatformGrant | NoGrant) => (grant.client ? grant.refreshToken?.reveal() : undefined)

export function rememberingPlatform() {
  const connections = new Map<string, { owner: string; token: string | undefined }>()
  const functions = new Map<string, { owner: string; connection: string }>()
  const connectionAt = ({ workspace, connectionName }: Provisioning) => `${workspace}/${connectionName}`
  const functionAt = ({ workspace, functionName }: Provisioning) => `${workspace}/${functionName}`
  const urlOf = (at: Provisioning) => `https://functions.example/${functionAt(at)}`
  const assertOwn = (known: { owner: string } | undefined, { connectionId }: Provisioning) => {
    if (known && known.owner !== connectionId) throw new DependencyError('name_taken')
  }
  const port: Platform = {
    ...platformDouble(),
    async createConnection(at, grant) {
      const known = connections.get(connectionAt(at))
      assertOwn(known, at)
      if (!known) connections.set(connectionAt(at), { owner: at.connectionId, token: sentIn(grant) })
    },
    findConnection: async (at) => ({ isThere: connections.get(connectionAt(at))?.owner === at.connectionId }),
    async createFunction(at) {
      assertOwn(functions.get(functionAt(at)), at)
      functions.set(functionAt(at), { owner: at.connectionId, connection: connectionAt(at) })
      return { url: urlOf(at) }
    },
    async verifyFunction(at) {
      const found = functions.get(functionAt(at))
      if (!found || !connections.has(found.connection)) throw new DependencyError('function_failed', { retry: {} })
      return { tools: ['list_files'] }
    },
    async replaceConnection(at, grant) {
      assertOwn(connections.get(connectionAt(at)), at)
      connections.set(connectionAt(at), { owner: at.connectionId, token: sentIn(grant) })
    },
    async pointFunction(at) {
      functions.set(functionAt(at), { owner: at.connectionId, connection: connectionAt(at) })
      return { url: urlOf(at) }
    },
    async deleteFunction(at) {
      if (functions.get(functionAt(at))?.owner === at.connectionId) functions.delete(functionAt(at))
    },
    async deleteConnection(at) {
      if (connections.get(connectionAt(at))?.owner === at.connectionId) connections.delete(connectionAt(at))
    },
  }
  return { connections, functions, port }
}
