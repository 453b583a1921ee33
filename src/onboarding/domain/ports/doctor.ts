import type { Addresses, AddressKind, Presence } from '../catalogue/catalogue-check.ts'
import type { GrantCohort } from '../doctor/deaths.ts'
import type { Outage } from '../doctor/outage.ts'
import type { OwnAnswer } from '../doctor/own-address.ts'
import type { ProbeResult } from '../doctor/probe.ts'
import type { PublishedEndpoints } from '../doctor/published-facts.ts'
import type { DoctorSubject } from '../doctor/static-checks.ts'
import type { LatestEvents, StartedLinks } from '../doctor/volunteer.ts'
import type { Siblings } from '../health/unexplained-refusal.ts'
import type { OAuthClient } from '../integration.ts'

export type ClientOfGrants = { integration: string; clientId: string; tenant: string | undefined }

export type DoctorLedger = {
  latest(of: ClientOfGrants): Promise<LatestEvents>
  cohort(of: ClientOfGrants): Promise<GrantCohort>
  /** The newest links that sent a user to the app and have ended. */
  started(of: ClientOfGrants): Promise<StartedLinks>
  /** How checks of the client's other active connections ended since then. */
  siblings(of: ClientOfGrants, except: string, since: Date): Promise<Siblings>
}

export type ReadySubject = DoctorSubject & { client: OAuthClient }

/** Probes follow no redirects, send no user data and consume nothing. */
export type ProviderProbes = {
  metadata(
    subject: ReadySubject,
  ): Promise<{ asked: ProbeResult; published: PublishedEndpoints | undefined } | undefined>
  /** With a junk code. `isOtherWay`: with the other method of sending the secret. */
  token(subject: ReadySubject, isOtherWay: boolean): Promise<ProbeResult>
  authorize(subject: ReadySubject, redirectUri?: string): Promise<ProbeResult>
  blockedHosts(subject: Pick<DoctorSubject, 'integration'>): string[]
  openInputs(subject: Pick<DoctorSubject, 'integration'>): string[]
  mayAsk(subject: Pick<DoctorSubject, 'integration'>): Promise<boolean>
  /** Set if this machine is cut off from the internet. */
  outage(subject: Pick<DoctorSubject, 'integration'>): Promise<Outage | undefined>
}

export type OwnAddress = {
  publicUrl: string
  ask(question: string, expected: string): Promise<OwnAnswer>
}

export type DoctorPorts = {
  ownAddress: OwnAddress
  doctorLedger: DoctorLedger
  probes: ProviderProbes
  /** How often connections are checked, unless the profile says otherwise. */
  healthSeconds: number
  redirectUri(integration: string): string
}

export type CatalogueProbe = {
  outage(addresses: readonly string[]): Promise<Outage | undefined>
  /** A token endpoint is sent an empty form, which it rejects, and an MCP server the first message of a client. */
  presence(address: string, kind: AddressKind): Promise<Presence>
  /** RFC 8414 or OpenID Connect Discovery. */
  published(address: string): Promise<Addresses | undefined>
}
