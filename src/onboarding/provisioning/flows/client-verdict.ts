import type { Cause } from '../../domain/cause.ts'
import type { DoctorFinding } from '../../domain/doctor/finding.ts'
import { tokenFinding } from '../../domain/doctor/probe.ts'
import { isClientCause } from '../../domain/doctor/signals.ts'
import { type ClientVerdict, verdictOf } from '../../domain/health/unexplained-refusal.ts'
import type { ClientOfGrants } from '../../domain/ports/doctor.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { verdictSeconds } from '../../domain/ports/shared.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'

/** A provider may lock a client that sends many junk codes. */
const probeRule = { name: 'client-probe', max: 1, windowSeconds: verdictSeconds, uncounted: 'refused' } as const

/** More refusals than these within ten minutes suggest that the client is rejected. */
const refusalRule = { name: 'client-refusals', max: 2, windowSeconds: verdictSeconds, uncounted: 'refused' } as const

/** Returns undefined if the client was not asked about, or if another process is asking. */
export async function findVerdict(
  ports: Ports,
  ready: ReadyIntegration,
  { isAgain }: { isAgain: boolean },
): Promise<ClientVerdict | undefined> {
  const client = keyOf(ports, ready)
  const isFrequent = (await ports.rates.take(refusalRule, client)) !== undefined
  const known = await ports.clientVerdicts.find(client)
  if (known || !(isAgain || isFrequent) || (await ports.rates.take(probeRule, client))) return known
  const { integration, client: oauthClient } = ready
  const redirectUri = oauthClient.redirectUri ?? ports.redirectUri(integration.id)
  const asked = await ports.probes.token({ ...ready, tenant: undefined, redirectUri }, false)
  return keepFinding(ports, ready, tokenFinding(asked, undefined, integration))
}

/** `finding`: of the token endpoint. */
export async function keepFinding(
  ports: Ports,
  ready: ReadyIntegration,
  finding: DoctorFinding,
): Promise<ClientVerdict> {
  const verdict = verdictOf(finding, ports.now())
  await ports.clientVerdicts.keep(keyOf(ports, ready), verdict)
  return verdict
}

/** A rejection by a link or a refresh. A lost note only delays the finding. */
export async function noteRejection(ports: Ports, ready: ReadyIntegration, cause: Cause): Promise<void> {
  if (!isClientCause(cause)) return
  const verdict = { is: 'rejected', cause, at: ports.now() } as const
  await ports.clientVerdicts.keep(keyOf(ports, ready), verdict).catch(() => undefined)
}

export const clientOfGrants = ({ integration, client }: ReadyIntegration, tenant: string): ClientOfGrants => ({
  integration: integration.id,
  clientId: client.id,
  tenant: client.id === integration.client?.id ? undefined : tenant,
})

const keyOf = ({ tokens }: Ports, { integration, client }: ReadyIntegration): string =>
  tokens.digest([integration.id, client.id, integration.endpoints?.token ?? integration.issuer].join('\n'))
