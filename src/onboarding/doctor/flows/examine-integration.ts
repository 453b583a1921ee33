// The doctor: examines an integration with one of its clients, as far as it is allowed to ask.

import type { Actor } from '../../domain/audit/audit.ts'
import { timeFindings } from '../../domain/doctor/deaths.ts'
import { type DoctorFinding, inconclusive } from '../../domain/doctor/finding.ts'
import {
  authorizationFinding,
  impossibleRedirectUri,
  isClientRefused,
  tokenFinding,
} from '../../domain/doctor/probe.ts'
import { clockFinding, discoveryFinding } from '../../domain/doctor/published-facts.ts'
import { type DoctorSubject, staticFindings } from '../../domain/doctor/static-checks.ts'
import { volunteerFindings } from '../../domain/doctor/volunteer.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Integration } from '../../domain/integration.ts'
import type { DoctorPorts, ReadySubject } from '../../domain/ports/doctor.ts'
import type { McpServers } from '../../domain/ports/mcp-servers.ts'
import type { Audit, Clock, Integrations, RateLimits } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import { examineMcpServer } from './examine-mcp-server.ts'

export type ExamineNeeds = Omit<DoctorPorts, 'ownAddress'> & {
  integrations: Integrations
  tenants: Tenants
  mcpServers: McpServers
  rates: RateLimits
  now: Clock
}

/** `tenant`: with the client of that tenant. `network`: the provider may be asked. */
export type ExamineIntegration = { integration: string; tenant?: string | undefined; network: boolean }

export type Examination = { subject: DoctorSubject; findings: DoctorFinding[] }

export const examineIntegration =
  (needs: ExamineNeeds) =>
  async ({ integration: id, tenant, network }: ExamineIntegration): Promise<Examination> => {
    assertLive(tenant)
    const integration = needs.integrations.find(id)
    if (!integration) throw missing('integration')
    const own = tenant === undefined ? undefined : await needs.tenants.ownClient(tenant, id)
    if (tenant !== undefined && !own) throw missing('OAuth client')
    const given = { integration, client: own ?? integration.client, tenant, redirectUri: needs.redirectUri(id) }
    const blockedHosts = needs.probes.blockedHosts(given)
    const openInputs = needs.probes.openInputs(given)
    const facts = { blockedHosts, openInputs, sameApp: own ? [] : sameApp(needs, integration) }
    const settings = staticFindings(given, facts)
    const isMcpServer = integration.mcpUrl !== undefined
    const isAsked = network && isMcpServer && blockedHosts.length === 0
    const { subject, findings } = isAsked ? await examineMcpServer(needs, given) : { subject: given, findings: [] }
    const isReachable = network && isMcpServer === isAsked && findings.every(({ verdict }) => verdict === 'ok')
    return { subject, findings: [...settings, ...findings, ...(await clientFindings(needs, subject, isReachable))] }
  }

/** A client of test mode may be anything, and the app that is asked is a real one. */
function assertLive(tenant: string | undefined): void {
  if (isTestTenant(tenant ?? '')) throw new Failure('not_in_test_mode', 'Apps are not asked for tenants of test mode.')
}

/** Tenants' own clients are not compared: each tenant has registered theirs for itself. */
const sameApp = ({ integrations }: ExamineNeeds, { id, about, client }: Integration): string[] =>
  integrations
    .configured()
    .filter((other) => other.id !== id && other.about?.id === about?.id && client && other.client?.id === client.id)
    .map((other) => other.id)

/** What can be found out with a client alone. */
async function clientFindings(needs: ExamineNeeds, subject: DoctorSubject, network: boolean): Promise<DoctorFinding[]> {
  const { client } = subject
  if (!client) return []
  const ready = { ...subject, client }
  const [asked, recorded] = await Promise.all([network ? networkFindings(needs, ready) : [], recordOf(needs, ready)])
  return [...asked, ...recorded]
}

/** Every configured client of the deployment, without asking anybody. */
export const examineAll = (needs: ExamineNeeds) => async (): Promise<Examination[]> => {
  const configured = needs.integrations.configured()
  const examined: Examination[] = []
  // One after the other: a start with many integrations must leave connections to the ledger for everybody else.
  for (const { id } of configured) examined.push(await examineIntegration(needs)({ integration: id, network: false }))
  return examined
}

async function recordOf({ doctorLedger }: ExamineNeeds, { integration, client, tenant }: ReadySubject) {
  const of = { integration: integration.id, clientId: client.id, tenant }
  const latest = await doctorLedger.latest(of)
  return [...volunteerFindings(latest, integration), ...timeFindings(await doctorLedger.cohort(of), integration)]
}

/** A provider that sees many junk codes of one client may lock it. */
const probeRule = { name: 'doctor', most: 1, windowSeconds: 60, uncounted: 'refused' } as const

async function networkFindings(needs: ExamineNeeds, subject: ReadySubject): Promise<DoctorFinding[]> {
  // Where nothing can be sent, nothing is counted: whoever corrects the address may try it at once.
  const isAsked = await needs.probes.mayAsk(subject)
  const over = isAsked && (await needs.rates.take(probeRule, `${subject.integration.id} ${subject.client.id}`))
  if (over) return [inconclusive('token_endpoint', 'This client was examined within the last minute.')]
  const { probes } = needs
  const [metadata, ours, impossible] = await Promise.all([
    // An MCP server's was read to come as far as this.
    subject.integration.mcpUrl === undefined ? probes.metadata(subject) : undefined,
    probes.authorize(subject),
    probes.authorize(subject, impossibleRedirectUri),
  ])
  const token = await probes.token(subject, false)
  const rules = subject.integration
  const other = isClientRefused(token, rules) ? await probes.token(subject, true) : undefined
  const configured = subject.integration.endpoints ?? {}
  return [
    ...(metadata ? [discoveryFinding(metadata.asked, metadata.published, configured)] : []),
    clockFinding(token, needs.now()),
    tokenFinding(token, other, rules),
    authorizationFinding(ours, impossible),
  ]
}

export type ExamineOnRequest = { integration: string; tenant?: string | undefined; actor: Actor; reason?: string }

/** Asks the provider, and notes who wanted it: it sees a request of ours that no user made. */
export const examineOnRequest =
  (needs: ExamineNeeds & { audit: Audit }) =>
  async ({ integration, tenant, actor, reason }: ExamineOnRequest): Promise<Examination> => {
    const examination = await examineIntegration(needs)({ integration, tenant, network: true })
    const wrongChecks = examination.findings.filter(({ verdict }) => verdict === 'wrong').map(({ check }) => check)
    const facts = { integrationId: integration, tenantId: tenant, wrongChecks }
    await needs.audit.note({ action: 'integration.examined', actor, facts, ...(reason !== undefined && { reason }) })
    return examination
  }
