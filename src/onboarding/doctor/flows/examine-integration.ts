import type { Log } from '../../../kit/process/log.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { filledFor } from '../../domain/catalogue/integration-values.ts'
import { reuseFinding, sameAccountFinding, timeFindings } from '../../domain/doctor/deaths.ts'
import { type DoctorFinding, inconclusive } from '../../domain/doctor/finding.ts'
import { outageFinding } from '../../domain/doctor/outage.ts'
import {
  authorizationFinding,
  impossibleRedirectUri,
  isClientRefused,
  tokenFinding,
} from '../../domain/doctor/probe.ts'
import { clockFinding, discoveryFinding } from '../../domain/doctor/published-facts.ts'
import { type DoctorSubject, staticFindings } from '../../domain/doctor/static-checks.ts'
import { returnFinding, volunteerFindings } from '../../domain/doctor/volunteer.ts'
import { Failure, missing } from '../../domain/failure.ts'
import { type Integration, rotatesRefreshTokens } from '../../domain/integration.ts'
import type { ReadySubject } from '../../domain/ports/doctor.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import { keepFinding } from '../../provisioning/flows/client-verdict.ts'
import { examineMcpServer } from './examine-mcp-server.ts'

/** `tenant`: examine that tenant's client. `network`: send requests to the provider. */
type ExamineIntegration = { integration: string; tenant?: string | undefined; network: boolean }

export type Examination = { subject: DoctorSubject; findings: DoctorFinding[] }

export async function examineIntegration(
  ports: Ports,
  { integration: id, tenant, network }: ExamineIntegration,
): Promise<Examination> {
  const given = await subjectOf(ports, id, tenant)
  const { integration } = given
  const blockedHosts = ports.probes.blockedHosts(given)
  const openInputs = ports.probes.openInputs(given)
  const apps = tenant === undefined ? sameApp(ports, integration) : []
  const facts = { blockedHosts, openInputs, sameApp: apps, latestLink: await latestLink(ports, given) }
  const settings = staticFindings(given, facts)
  const outage = network ? await ports.probes.outage(given) : undefined
  if (outage) {
    const recorded = await clientFindings(ports, given, false)
    return { subject: given, findings: [...settings, outageFinding(outage), ...recorded] }
  }
  const isMcpServer = integration.mcpUrl !== undefined
  const isAsked = network && isMcpServer && blockedHosts.length === 0
  const { subject, findings } = isAsked ? await examineMcpServer(ports, given) : { subject: given, findings: [] }
  const isReachable = network && isMcpServer === isAsked && findings.every(({ verdict }) => verdict === 'ok')
  return { subject, findings: [...settings, ...findings, ...(await clientFindings(ports, subject, isReachable))] }
}

async function latestLink({ doctorLedger }: Ports, { client, ...subject }: DoctorSubject) {
  return client && (await doctorLedger.latest(clientOf({ ...subject, client }))).link
}

async function subjectOf(ports: Ports, id: string, tenant: string | undefined): Promise<DoctorSubject> {
  assertLive(tenant)
  const found = ports.integrations.find(id)
  if (!found) throw missing('integration')
  const integration = filledFor(found, {})
  const own = tenant === undefined ? undefined : await ports.tenants.ownClient(tenant, id)
  if (tenant !== undefined && !own) throw missing('OAuth client')
  return { integration, client: own ?? integration.client, tenant, redirectUri: ports.redirectUri(id) }
}

/** Clients in test mode can be made up, but the probes would reach the real app. */
function assertLive(tenant: string | undefined): void {
  if (isTestTenant(tenant ?? ''))
    throw new Failure('not_in_test_mode', 'Integrations can’t be examined for test tenants.')
}

/** Ignores tenants' own clients: each tenant registers its own app. */
const sameApp = ({ integrations }: Ports, { id, about, client }: Integration): string[] =>
  integrations
    .configured()
    .filter((other) => other.id !== id && other.about?.id === about?.id && client && other.client?.id === client.id)
    .map((other) => other.id)

async function clientFindings(ports: Ports, subject: DoctorSubject, network: boolean): Promise<DoctorFinding[]> {
  const { client } = subject
  if (!client) return []
  const ready = { ...subject, client }
  const [asked, recorded] = await Promise.all([network ? networkFindings(ports, ready) : [], recordOf(ports, ready)])
  return [...asked, ...recorded]
}

/** Examines all configured clients of the deployment without network requests. */
export async function examineAll(ports: Ports): Promise<Examination[]> {
  const examined: Examination[] = []
  // Sequential, so that a start with many integrations does not use up the database pool.
  for (const { id } of ports.integrations.configured()) {
    examined.push(await examineIntegration(ports, { integration: id, network: false }))
  }
  return examined
}

async function recordOf({ doctorLedger, healthSeconds }: Ports, subject: ReadySubject): Promise<DoctorFinding[]> {
  const { integration } = subject
  const of = clientOf(subject)
  const latest = await doctorLedger.latest(of)
  const started = await doctorLedger.started(of)
  const cohort = await doctorLedger.cohort(of)
  return [
    ...volunteerFindings(latest, integration, started),
    returnFinding(started),
    ...timeFindings(cohort, integration, integration.health.everySeconds ?? healthSeconds),
    sameAccountFinding(cohort),
    ...(rotatesRefreshTokens(integration) ? [reuseFinding(cohort)] : []),
  ]
}

const clientOf = ({ integration, client, tenant }: ReadySubject) => ({
  integration: integration.id,
  clientId: client.id,
  tenant,
})

/** A provider may lock a client that sends many junk codes. */
const probeRule = { name: 'doctor', max: 1, windowSeconds: 60, uncounted: 'refused' } as const

async function networkFindings(ports: Ports, subject: ReadySubject): Promise<DoctorFinding[]> {
  // Skip the rate limit if no request can be sent, so a corrected address can be tried at once.
  const isAsked = await ports.probes.mayAsk(subject)
  const over = isAsked && (await ports.rates.take(probeRule, `${subject.integration.id} ${subject.client.id}`))
  if (over) return [inconclusive('token_endpoint', 'This client was examined within the last minute.')]
  const { probes } = ports
  const [metadata, ours, impossible] = await Promise.all([
    // The metadata of an MCP server was read by examineMcpServer.
    subject.integration.mcpUrl === undefined ? probes.metadata(subject) : undefined,
    probes.authorize(subject),
    probes.authorize(subject, impossibleRedirectUri),
  ])
  const token = await probes.token(subject, false)
  const { integration } = subject
  const other = isClientRefused(token, integration) ? await probes.token(subject, true) : undefined
  const tokenEndpoint = tokenFinding(token, other, integration)
  await keepFinding(ports, subject, tokenEndpoint)
  return [
    ...(metadata ? [discoveryFinding(metadata.asked, metadata.published, integration.endpoints ?? {})] : []),
    clockFinding(token, ports.now()),
    tokenEndpoint,
    authorizationFinding(ours, impossible, {
      redirectUri: subject.redirectUri,
      isClientGood: tokenEndpoint.verdict === 'ok',
    }),
  ]
}

type ExamineOnRequest = { integration: string; tenant?: string | undefined; actor: Actor; reason?: string }

/** Audited, because the provider sees a request that no user made. */
export async function examineOnRequest(
  ports: Ports,
  { integration, tenant, actor, reason }: ExamineOnRequest,
): Promise<Examination> {
  const examination = await examineIntegration(ports, { integration, tenant, network: true })
  const wrongChecks = examination.findings.filter(({ verdict }) => verdict === 'wrong').map(({ check }) => check)
  const facts = { integrationId: integration, tenantId: tenant, wrongChecks }
  await ports.audit.note({ action: 'integration.examined', actor, facts, ...(reason !== undefined && { reason }) })
  return examination
}

/** Logs misconfigured clients before users run into them. Sends no requests to providers. */
export async function warnOfFindings(
  ports: Ports,
  log: Log<'integration.misregistered'>,
  recordFindings: (examined: Examination[]) => void,
): Promise<void> {
  const examined = await examineAll(ports)
  recordFindings(examined)
  for (const { subject, findings } of examined) {
    // Blocked addresses have their own warning, which says how to allow them.
    for (const { check, verdict, evidence } of findings) {
      if (verdict !== 'wrong' || check === 'addresses') continue
      const detail = `${evidence} See /support/doctor, or causeway doctor.`
      log('integration.misregistered', { integration: subject.integration.id, detail })
    }
  }
}
