// Provisioning ports in memory that record every call and can be made to fail. They are fast enough to test every path
// of a link.
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { noTracing } from '../../../src/kit/tracing/tracing.ts'
import { linkTraces } from '../../../src/onboarding/adapters/link-traces.ts'
import type { AuditEntry } from '../../../src/onboarding/domain/audit/audit-entry.ts'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import type { Integration } from '../../../src/onboarding/domain/integration.ts'
import { type Link, mayMove, newLinkDefaults } from '../../../src/onboarding/domain/link.ts'
import type { Ports } from '../../../src/onboarding/domain/ports/ports.ts'
import type { Grant, RevocationOutcome } from '../../../src/onboarding/domain/ports/provider.ts'
import type { LinkChanges } from '../../../src/onboarding/domain/ports/provisioning.ts'
import type { Settings } from '../../../src/onboarding/domain/settings.ts'
import type { StoredGrant } from '../../../src/onboarding/domain/stored-grant.ts'
import { type ProvisionLink, provisionLink } from '../../../src/onboarding/provisioning/flows/provision-link.ts'
import { platformAnswer, platformThat } from '../memory/doubles.ts'

/** Calls outside by name, in order, and what each should do instead of its work. */
type Calls = { made: string[]; instead: Partial<Record<string, () => unknown>> }

export function provisioningInMemory(
  more: {
    link?: Partial<Link>
    integration?: Partial<Omit<Integration, 'revocation'>> & { revocation?: { reach: 'token' | 'grant' } }
  } = {},
) {
  const calls: Calls = { made: [], instead: {} }
  const ledger = memoryLedger(aLink(more.link))
  const stored: { current: StoredGrant | undefined; connection: Connection } = {
    current: aStoredGrant,
    connection: aConnection,
  }
  const call = async <T>(name: string, result: T): Promise<T> => {
    calls.made.push(name)
    const instead = calls.instead[name]
    return instead ? ((await instead()) as T) : result
  }
  const provider = {
    reread: async () => grant(),
    refresh: async ({ keep }: { keep(raw: Secret): Promise<void> }) => {
      await call('refresh', undefined)
      await keep(new Secret('trial refresh'))
      return { rotated: false }
    },
    rereadRefresh: async () => ({ rotated: false }),
    tokensOf: () => ({ refreshToken: new Secret('refresh token') }),
    revoke: () => call<RevocationOutcome>('revoke', 'revoked'),
  }
  const platform = platformThat((method, args) => {
    const isLook = method === 'restartFunction' && !(args[1] as { isDue: boolean }).isDue
    return call(isLook ? 'lookAtFunction' : method, { ...platformAnswer, url: 'https://function.example' })
  })
  const integration = { ...anIntegration, ...more.integration } as Integration
  const ports = {
    links: ledger.links,
    secrets: ledger.secrets,
    tenants: { find: async () => ({ maxConnectionsPerUser: 0 }) },
    provider,
    platform,
    integrations: { of: () => integration },
    connections: { lock: async () => true, find: async () => stored.connection },
    storedGrants: { find: async () => stored.current, sharesConsent: async () => false },
    seal: { seal: (secret: Secret) => secret.reveal(), open: (sealed: string) => new Secret(sealed) },
    tokens: { id: (prefix: string) => `${prefix}_1` },
    traces: linkTraces(noTracing),
    chance: () => 0,
    // A function that is asked for comes before this is over, unless a test lets it wait.
    pause: () => new Promise((resolve) => setTimeout(resolve, 20)),
  } as unknown as Ports
  const settings = { verifyFunctions: true, keepGrants: true, connectionPut: true, healthSeconds: 60 } as Settings
  const ready = { integration, client: { id: 'client', secret: new Secret('secret') } } as ProvisionLink['ready']
  return {
    ...ledger,
    ports,
    settings,
    ready,
    calls,
    stored,
    run: (found?: ProvisionLink['found'], link = ledger.now()) =>
      provisionLink(ports, settings, { link, ready, found, requestId: 'req_1' }),
  }
}

/** One link, by the rules of the ledger: a move from a state it is not in, or behind another's fence, is refused. */
function memoryLedger(link: Link) {
  let at = link
  const entries: AuditEntry[] = []
  const changed: LinkChanges[] = []
  let trialRefresh: string | undefined
  const isOwn = ({ state, fence }: Link) => at.state === state && at.fence === fence
  return {
    entries,
    /** What each move wrote beside the state. */
    changed,
    now: () => at,
    /** As a worker does that finds the lease of another one run out. */
    takeOver: (more: Partial<Link> = {}) => {
      at = { ...at, fence: at.fence + 1, ...more }
    },
    links: {
      find: async () => at,
      keepLease: async (link: Link) => isOwn(link),
      hasLockedUser: () => false,
      isUsersFirst: () => false,
      hasConsentUnderWay: async () => false,
      async move(link: Link, to: Link['state'], changes: LinkChanges, audit: AuditEntry) {
        if (!mayMove(link.state, to)) throw new Error(`a link never goes from ${link.state} to ${to}`)
        if (!isOwn(link)) return undefined
        const { cause, resumeFrom, dueInSeconds, escrow, connected, event, takeOver, ...kept } = changes
        const nextAttemptAt = dueInSeconds === undefined ? undefined : new Date(dueInSeconds * 1_000)
        at = { ...at, ...kept, state: to, cause, resumeFrom, attempts: 0, takeovers: 0, nextAttemptAt }
        entries.push(audit)
        changed.push(changes)
        return at
      },
      async postpone(link: Link, seconds: number, cause: Link['cause']) {
        if (!isOwn(link)) return undefined
        at = { ...at, cause, attempts: at.attempts + 1, nextAttemptAt: new Date(seconds * 1_000) }
        return at
      },
      async keepTrialRefresh(link: Link, sealed: string) {
        if (isOwn(link)) trialRefresh = sealed
        return isOwn(link)
      },
    },
    secrets: { escrow: async () => ({ sealed: 'raw answer', trialRefresh }) },
  }
}

const aLink = (more: Partial<Link> = {}): Link => ({
  id: 'lnk_1',
  sessionId: 'ses_1',
  tenant: 'acme',
  workspace: 'acme',
  integration: 'provider',
  endUser: { id: 'user-1' },
  returnUrl: undefined,
  kind: 'first',
  allowOtherAccount: false,
  ifConnected: 'add',
  completionChallenge: undefined,
  config: {},
  browser: 'browser',
  connectionId: 'con_1',
  connectionName: 'provider-1',
  functionName: 'provider-1',
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...newLinkDefaults,
  state: 'escrowed',
  ...more,
})

export const grant = (more: Partial<Grant> = {}): Grant => ({
  refreshToken: new Secret('refresh token'),
  scopes: ['files.read'],
  account: { id: 'account-1', label: 'first@provider.example' },
  ...more,
})

const anIntegration = {
  id: 'provider',
  scopes: [{ name: 'files.read' }],
  optionalScopes: [],
  scopesFrom: 'request',
  inputs: {},
  keep: { fromAnswer: {}, fromCallback: {} },
  tools: [],
  grant: 'refresh',
  refreshTokens: 'asked',
  forceConsentParameters: {},
  revocation: { reach: 'token' },
  health: { by: 'function' },
}

const aConnection = {
  id: 'con_1',
  tenant: 'acme',
  workspace: 'acme',
  integration: 'provider',
  name: 'provider-1',
  functionUrl: 'https://function.example',
  account: { id: 'account-1', label: 'first@provider.example' },
  scopes: ['files.read'],
  config: {},
  status: 'active',
} as Connection

const aStoredGrant = { linkId: 'lnk_0', sealed: 'raw answer', clientId: 'client', rotates: false } as StoredGrant
