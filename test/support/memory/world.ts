// All ports in memory. Nothing is started, and time passes only on request.
import { randomBytes } from 'node:crypto'
import { sealedBox } from '../../../src/kit/crypto/sealed-box.ts'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { ignoreError } from '../../../src/kit/process/ignore-error.ts'
import { noTracing } from '../../../src/kit/tracing/tracing.ts'
import { linkTraces } from '../../../src/onboarding/adapters/link-traces.ts'
import { memoryClientVerdicts } from '../../../src/onboarding/adapters/memory/client-verdicts.ts'
import { memoryMarks } from '../../../src/onboarding/adapters/memory/marks.ts'
import { memoryRateLimits } from '../../../src/onboarding/adapters/memory/rate-limits.ts'
import { monogram } from '../../../src/onboarding/domain/catalogue/app-icon.ts'
import type { Integration } from '../../../src/onboarding/domain/integration.ts'
import type { AuditChainPorts } from '../../../src/onboarding/domain/ports/audit-chain.ts'
import type { DoctorLedger, DoctorPorts } from '../../../src/onboarding/domain/ports/doctor.ts'
import type { PendingAuthorizations } from '../../../src/onboarding/domain/ports/linking.ts'
import type { RegisteredClients } from '../../../src/onboarding/domain/ports/mcp-servers.ts'
import type { Background, Clock, Integrations, Marks, RateLimits } from '../../../src/onboarding/domain/ports/shared.ts'
import type { SupportPorts } from '../../../src/onboarding/domain/ports/support-ledger.ts'
import { ratesOf } from '../../../src/onboarding/domain/rate-limit.ts'
import type { Settings } from '../../../src/onboarding/domain/settings.ts'
import { isTestTenant } from '../../../src/onboarding/domain/test-mode/test-mode.ts'
import { type ProfileData, profile } from '../../../src/onboarding/integrations/profile.ts'
import { testIntegration } from '../../../src/onboarding/integrations/test-integration.ts'
import { memoryPending } from '../../../src/onboarding/linking/adapters/memory-pending-authorizations.ts'
import { rememberedAuthorizations } from '../../../src/onboarding/linking/adapters/remembered-authorizations.ts'
import { signedTokens } from '../../../src/onboarding/provisioning/adapters/test-mode/signed-tokens.ts'
import { testProvider } from '../../../src/onboarding/provisioning/adapters/test-mode/test-provider.ts'
import { logoPictures } from '../../../src/onboarding/tenants/adapters/logo-pictures.ts'
import { builders } from './builders.ts'
import {
  approvalsDouble,
  functionAccessDouble,
  grantProblemsDouble,
  platformDouble,
  probeDouble,
  probesDouble,
  providerDouble,
  senderDouble,
  settingsDouble,
  toolListsDouble,
} from './doubles.ts'
import { openMemoryLedger } from './ledger.ts'
import { mcpServersDouble } from './mcp-servers.ts'
import type { Tables } from './tables.ts'

export type MemoryWorld = Awaited<ReturnType<typeof openMemoryWorld>>

export const client = { id: 'client-1', secret: new Secret('client secret') }

export const notes: ProfileData = { id: 'notes', displayName: 'Notes', mcpUrl: 'https://mcp.notes.example/mcp' }

// Deriving their keys takes longer than most tests.
const seal = sealedBox({ primary: 'test', keys: new Map([['test', new Secret(randomBytes(32))]]) })
const testTokens = signedTokens(new Secret(randomBytes(32)))

/** `integration`: overrides for its profile. `others`: integrations without a client. */
export async function openMemoryWorld({
  integration = {},
  others = [],
  settings = {},
}: {
  integration?: Partial<ProfileData>
  others?: ProfileData[]
  settings?: Partial<Settings>
} = {}) {
  const ledger = openMemoryLedger()
  const { clock, tables } = ledger
  const ports = {
    ...ledger,
    seal,
    integrations: listed(
      [
        { ...filesProfile(integration), client },
        { ...mailProfile, client: undefined },
        ...others.map((data) => ({ ...profile(data), client: undefined })),
      ],
      ledger.registeredClients,
    ),
    logoPictures: logoPictures(),
    mcpServers: mcpServersDouble(),
    ...expiring(clock.now),
    clientVerdicts: memoryClientVerdicts(clock.now),
    testProvider: testProvider({ tokens: testTokens }),
    provider: providerDouble(),
    platform: platformDouble(),
    platformProbe: probeDouble(),
    functionAccess: functionAccessDouble(),
    functionRelay: {
      send: () => Promise.reject(new Error('no platform')),
      issueToken: () => Promise.reject(new Error('no platform')),
    },
    toolLists: toolListsDouble(),
    grantProblems: grantProblemsDouble(),
    approvals: approvalsDouble(),
    webhookSender: senderDouble(),
    background,
    traces: linkTraces(noTracing),
    now: clock.now,
    chance: () => 0.5,
    pause: () => new Promise<void>((resolve) => setImmediate(resolve)),
    ...withoutMemory(),
    probes: probesDouble(),
    redirectUri: (id: string) => `${usual.publicUrl}/oauth/callback/${id}`,
    doctorLedger: doctorLedgerDouble(tables),
    ...settingsDouble(),
  }
  const world = {
    ...ports,
    ...builders(ports),
    settings: { ...usual, ...settings },
    /** Audit actions, oldest first. */
    actions: () => tables.audit.map(({ entry }) => entry.action),
    /** Event names, oldest first. */
    events: () => [...tables.outbox.values()].map(({ name }) => name),
    lastPayload: () => [...tables.outbox.values()].at(-1)?.payload,
    removeIntegration: (id: string) => ports.integrations.remove(id),
  }
  await world.addTenant()
  return world
}

/** Created lazily: allocating room for 100,000 values takes longer than most tests. */
function expiring(now: Clock): { pending: PendingAuthorizations; rates: RateLimits; marks: Marks } {
  let pending: PendingAuthorizations | undefined
  let rates: RateLimits | undefined
  let marks: Marks | undefined
  const pendingNow = () => {
    pending ??= rememberedAuthorizations(memoryPending(now), now)
    return pending
  }
  return {
    pending: {
      put: (...args) => pendingNow().put(...args),
      claim: (...args) => pendingNow().claim(...args),
      recall: (state) => pendingNow().recall(state),
    },
    rates: {
      take(...args) {
        rates ??= memoryRateLimits(now)
        return rates.take(...args)
      },
    },
    marks: {
      claim(...args) {
        marks ??= memoryMarks(now)
        return marks.claim(...args)
      },
      release(...args) {
        marks ??= memoryMarks(now)
        return marks.release(...args)
      },
    },
  }
}

/** Ports that have no version in memory. Tests that need one pass their own. */
const withoutMemory = (): Pick<DoctorPorts, 'ownAddress' | 'healthSeconds'> & SupportPorts & AuditChainPorts => ({
  auditSealer: absent,
  auditChains: absent,
  auditRetention: absent,
  auditExport: { positions: absent, blocksAfter: absent, destinations: [] },
  ownAddress: absent,
  healthSeconds: 6 * 60 * 60,
  support: absent,
  savedViews: absent,
  functionState: absent,
})

const absent = new Proxy(() => undefined, {
  get() {
    throw new Error('The memory world does not have this port.')
  },
}) as never

function doctorLedgerDouble({ connections }: Tables): DoctorLedger {
  const siblings: DoctorLedger['siblings'] = async ({ integration }, except, since) => {
    const others = [...connections.values()].filter(
      (each) => each.integration === integration && each.status === 'active' && each.id !== except,
    )
    const checked = others.filter(({ checkedAt }) => checkedAt && checkedAt >= since)
    return {
      worked: checked.filter(({ unclearSince }) => !unclearSince).length,
      refused: checked.filter(({ unexplainedRefusals }) => unexplainedRefusals > 0).length,
      unchecked: others.length - checked.length,
    }
  }
  return { latest: absent, cohort: absent, started: absent, siblings }
}

const filesProfile = (more: Partial<ProfileData>) =>
  profile({
    id: 'files',
    displayName: 'Files',
    description: 'Your files',
    scopes: [{ name: 'files.read' }],
    revocation: { reach: 'token' },
    ...more,
  })

/** One that the deployment has no client for. */
const mailProfile = profile({ id: 'mail', displayName: 'Mail', description: 'Your mail', scopes: [{ name: 'mail' }] })

function listed(all: Integration[], { newest, find }: RegisteredClients): Integrations & { remove(id: string): void } {
  const entries = new Map(all.map((integration) => [integration.id, integration]))
  return {
    find: (id) => entries.get(id),
    shipped: (id) => entries.get(id),
    of: ({ tenant, integration }) => {
      const found = entries.get(integration)
      return found && isTestTenant(tenant) ? testIntegration(found, usual.publicUrl) : found
    },
    configured: () => [...entries.values()].filter((each) => each.client !== undefined),
    registeredClient: async (issuer, clientId) =>
      (await (clientId === undefined ? newest(issuer) : find({ issuer, clientId })))?.client,
    items: () => [...entries.values()].map(itemOf),
    remove: (id) => void entries.delete(id),
  }
}

const itemOf = ({ id, displayName, description, scopes, optionalScopes, apiHosts, inputs, client }: Integration) => ({
  icon: monogram(displayName),
  id,
  kind: 'api' as const,
  displayName,
  description,
  inputs,
  scopes,
  optionalScopes,
  apiHosts,
  about: undefined,
  isConfigured: client !== undefined,
  isLinkable: true,
  names: displayName,
  searchText: `${id} ${displayName}`,
})

const background: Background = {
  keep(work) {
    work.catch(ignoreError('who waits for it is told'))
    return work
  },
  isHurried: () => false,
}

const usual: Settings = {
  publicUrl: 'https://connect.example',
  clientName: 'Causeway',
  completion: 'required',
  sessionSeconds: 900,
  authorizationSeconds: 600,
  waitingCodeSeconds: 120,
  verifyFunctions: true,
  keepGrants: true,
  connectionPut: true,
  platformRefreshes: true,
  healthSeconds: 3_600,
  escrowSeconds: 86_400,
  backlogPerTenant: 3,
  importsAtOnce: 4,
  rates: ratesOf({ api: 1_000, mint: 5, browser: 100, signIns: 5 }),
}

export const operator = { keyId: 'key_1', tenant: undefined }
export const ofTenant = (tenant: string) => ({ keyId: 'key_2', tenant })
export const byKey = { kind: 'api_key', id: 'key_1', requestId: 'req_1' } as const
export const byBrowser = { kind: 'browser', requestId: 'req_2' } as const
export const bySupport = { kind: 'support', id: 'sub-1', name: 'agent@support.example' } as const
