import type { GrantCohort } from '../doctor/deaths.ts'
import type { OwnAnswer } from '../doctor/own-address.ts'
import type { ProbeResult } from '../doctor/probe.ts'
import type { PublishedEndpoints } from '../doctor/published-facts.ts'
import type { DoctorSubject } from '../doctor/static-checks.ts'
import type { LatestEvents } from '../doctor/volunteer.ts'
import type { OAuthClient } from '../integration.ts'

/** Which client is meant: one that has made grants of this integration. */
export type ClientOfGrants = { integration: string; clientId: string; tenant: string | undefined }

export type DoctorLedger = {
  latest(of: ClientOfGrants): Promise<LatestEvents>
  cohort(of: ClientOfGrants): Promise<GrantCohort>
}

export type ReadySubject = DoctorSubject & { client: OAuthClient }

/** None of them follows a redirect, sends a user's data or uses anything up. */
export type ProviderProbes = {
  metadata(
    subject: ReadySubject,
  ): Promise<{ asked: ProbeResult; published: PublishedEndpoints | undefined } | undefined>
  /** A token request with a junk code. `isOtherWay`: with the other of the two ways of sending a secret. */
  token(subject: ReadySubject, isOtherWay: boolean): Promise<ProbeResult>
  /** An authorization request, with another redirect URI than ours if it is given. */
  authorize(subject: ReadySubject, redirectUri?: string): Promise<ProbeResult>
  /** Hosts of the provider that are not called. */
  blockedHosts(subject: Pick<DoctorSubject, 'integration'>): string[]
  /** Inputs without which an address of the provider is not known. */
  openInputs(subject: Pick<DoctorSubject, 'integration'>): string[]
  /** Whether anything at all would be sent to the provider. */
  mayAsk(subject: Pick<DoctorSubject, 'integration'>): Promise<boolean>
}

export type OwnAddress = {
  publicUrl: string
  /** Asks at the address of this deployment itself, as a browser would come there. */
  ask(question: string, expected: string): Promise<OwnAnswer>
}

export type DoctorPorts = {
  ownAddress: OwnAddress
  doctorLedger: DoctorLedger
  probes: ProviderProbes
  redirectUri(integration: string): string
}
