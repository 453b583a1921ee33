// What the flows need of the outside world. Adapters implement these; nothing here knows a driver.
import type { Secret } from '../../kit/crypto/secret.ts'
import type { AuditEntry } from './audit.ts'
import type { Cause } from './cause.ts'
import type { ConnectSession } from './connect-session.ts'
import type { Connected, Connection } from './connection.ts'
import type { OAuthClient, OwnClient } from './integration.ts'
import type { EndUser, Link, LinkState } from './link.ts'
import type { RateRule } from './rate-limit.ts'
import type { Caller, Tenant } from './tenant.ts'

export type Page<T> = { data: T[]; nextCursor: string | undefined }

export type Tenants = {
  find(id: string): Promise<Tenant | undefined>
  put(tenant: Omit<Tenant, 'createdAt' | 'updatedAt'>, signingSecret: Secret, audit: AuditEntry): Promise<PutTenant>
  list(query: { cursor: string | undefined; limit: number }): Promise<Page<Tenant>>
  /** The one that signs at this moment. */
  signingSecret(id: string): Promise<Secret>
  /** When the new secret signs; nothing when there is no such tenant. One that was to follow never will. */
  rotateSigningSecret(id: string, next: Secret, afterSeconds: number, audit: AuditEntry): Promise<Date | undefined>
  /** Wipes secrets that another has followed. */
  forgetSigningSecrets(): Promise<void>
  ownClient(id: string, integration: string): Promise<OAuthClient | undefined>
  /** Those that the tenant brought, without their secrets, by integration. */
  ownClients(id: string): Promise<OwnClient[]>
  putOwnClient(id: string, integration: string, client: OAuthClient, audit: AuditEntry): Promise<void>
  deleteOwnClient(id: string, integration: string, audit: AuditEntry): Promise<boolean>
}

export type PutTenant = { tenant: Tenant; created: boolean }

export type ApiKeys = {
  create(key: { name: string; tenant: string | undefined }, audit: AuditEntry): Promise<{ id: string; key: Secret }>
  list(): Promise<ApiKey[]>
  revoke(id: string, audit: AuditEntry): Promise<boolean>
  caller(key: Secret): Promise<Caller | undefined>
}

export type ApiKey = {
  id: string
  name: string
  tenant: string | undefined
  lastFour: string
  createdAt: Date
  revokedAt: Date | undefined
}

export type ConnectSessions = {
  create(session: NewSession, tokenDigest: string, audit: AuditEntry): Promise<ConnectSession>
  byToken(tokenDigest: string): Promise<ConnectSession | undefined>
  find(id: string): Promise<ConnectSession | undefined>
  /** Those that re-link a connection, newest first. */
  ofConnection(connectionId: string, limit: number): Promise<ConnectSession[]>
  /** Puts a link that came to nothing aside, so that its session can be started once more. */
  putAside(session: ConnectSession, archiveId: string): Promise<void>
  /** False when it was started or cancelled before. */
  cancel(id: string, audit: AuditEntry): Promise<boolean>
}

export type NewSession = Pick<
  ConnectSession,
  | 'id'
  | 'tenant'
  | 'integration'
  | 'endUser'
  | 'returnUrl'
  | 'completionChallenge'
  | 'connectionId'
  | 'allowOtherAccount'
> & { ttlSeconds: number }

export type Links = {
  /** Nothing when the session already has a link: a session starts once, whoever races. */
  open(link: NewLink, audit: AuditEntry): Promise<Link | undefined>
  find(id: string): Promise<Link | undefined>
  list(query: LinkQuery): Promise<Page<Link>>
  /** Refused (nothing) when another worker has taken the link over or it left that state. */
  move(link: Link, to: LinkState, changes: LinkChanges, audit: AuditEntry): Promise<Link | undefined>
  /** Stays in its state and is tried again later. Nothing when another worker has taken it over. */
  postpone(link: Link, delaySeconds: number, cause: Cause): Promise<Link | undefined>
  /** A link that waits for its next try is held by the caller at once. Nothing when somebody else was faster. */
  claimWaiting(link: Link, audit: AuditEntry): Promise<Link | undefined>
  /** Links whose time has come, each now held by the caller. */
  claimDue(query: DueLinks): Promise<Link[]>
  /** Links that have needed attention for longer than that, by id. */
  outlived(seconds: number, page: { after: string; limit: number }): Promise<Link[]>
  /** How many links of a tenant hold a grant that is not put to work yet; it stops counting at `most`. */
  backlog(tenant: string, most: number): Promise<number>
  history(id: string): Promise<LinkMoment[]>
  /** Keeps what came back when the grant in escrow was tried. False when another worker has taken the link over. */
  keepProof(link: Link, sealed: string): Promise<boolean>
  /** How many wrong completions there were by now. */
  countWrongCompletion(link: Link): Promise<number>
}

export type DueLinks = { limit: number; perTenant: number }

export type NewLink = Omit<
  Link,
  | 'state'
  | 'cause'
  | 'stoppedAt'
  | 'forcedConsent'
  | 'missingScopes'
  | 'grantedScopes'
  | 'account'
  | 'functionUrl'
  | 'attempts'
  | 'nextTryAt'
  | 'fence'
  | 'createdAt'
  | 'updatedAt'
> & { expiresInSeconds: number }

export type LinkChanges = Partial<
  Pick<
    Link,
    'cause' | 'stoppedAt' | 'forcedConsent' | 'missingScopes' | 'grantedScopes' | 'account' | 'functionUrl' | 'browser'
  >
> & {
  /** Replaces the escrow of this link; null wipes it. */
  escrow?: Escrowed | null
  heldCode?: { sealed: string }
  /** How long the link waits before a worker takes it up; when not said, the caller holds it for a worker's lease. */
  dueInSeconds?: number
  /** Shuts out whoever held the link before. */
  takeOver?: boolean
  /** Writes the connection that this link made or mended, and what becomes of the grants. */
  connected?: Connected
  /** Tells the tenant, in the same transaction. */
  event?: TenantEvent
}

export type Escrowed = { sealed: string; fingerprint: string | undefined }

export type TenantEvent = { id: string; name: TenantEventName; payload: Record<string, unknown> }

export const tenantEventNames = [
  'link.succeeded',
  'link.failed',
  'connection.relinked',
  'connection.needs_relink',
  'connection.disconnected',
] as const
export type TenantEventName = (typeof tenantEventNames)[number]

export type LinkQuery = {
  tenant: string | undefined
  state: LinkState | undefined
  cause: Cause | undefined
  cursor: string | undefined
  limit: number
}

export type LinkMoment = { at: Date; action: string; reason: string | undefined; requestId: string | undefined }

export type HeldSecrets = {
  heldCode(linkId: string): Promise<string | undefined>
  escrow(linkId: string): Promise<string | undefined>
  /** What came back when the grant in escrow was tried, sealed. */
  proof(linkId: string): Promise<string | undefined>
}

export type Connections = {
  find(id: string): Promise<Connection | undefined>
  /** Whether this link or task alone may change what stands on the platform. Not when the connection has ended. */
  hold(id: string, holder: string): Promise<boolean>
  /** The same for what leaves no trace in the ledger: until it lets go or its time is over. Again by the same holder: longer. */
  holdBriefly(id: string, holder: string): Promise<boolean>
  letGo(id: string, holder: string): Promise<void>
  list(query: ConnectionQuery): Promise<Page<Connection>>
  /** Whose it is, as the tenant named them when it was first linked. */
  endUser(connection: Pick<Connection, 'id' | 'endUserId'>): Promise<EndUser>
}

export type ConnectionQuery = {
  tenant: string | undefined
  integration: string | undefined
  status: Connection['status'] | undefined
  cause: Cause | undefined
  endUserId: string | undefined
  cursor: string | undefined
  limit: number
}

/** What a browser takes to the provider and must bring back. */
export type PendingAuthorization = {
  link: string
  integration: string
  /** Sealed, with the link as it stands: whoever reads Redis cannot finish a flow, and whoever writes it no other one. */
  verifier: string
  nonce: string
  browser: string
}

export type Claim =
  | { outcome: 'first' | 'replay'; pending: PendingAuthorization }
  | { outcome: 'expired' | 'foreign_browser' | 'foreign_integration'; link: string }
  | { outcome: 'unknown' }

export type PendingAuthorizations = {
  put(state: string, pending: PendingAuthorization, ttlSeconds: number): Promise<void>
  claim(state: string, by: { attempt: string; browsers: string[]; integration: string }): Promise<Claim>
}

export type Audit = { note(entry: AuditEntry): Promise<void> }

export type Seal = {
  /** `place` names the record and the field; an envelope does not open anywhere else. */
  seal(plaintext: Secret, place: string): string
  open(envelope: string, place: string): Secret
}

/** Every value that is sealed at rest, column by column. */
export type SealedRows = {
  columns: readonly string[]
  /** Puts some values under the first key; `next` is where to go on. The values themselves stay sealed. */
  rewrapSome(column: string, after: string[] | undefined): Promise<RewrapRound>
  /** How many values other keys still seal. */
  countOthers(column: string): Promise<number>
  /** No other key is needed from here on. */
  forgetOthers(): Promise<void>
}

export type RewrapRound = { rewrapped: number; next: string[] | undefined }

export type Tokens = {
  /** 256 bits, base64url: random, or from a seed and then always the same ones. Who knows the seed cannot guess them. */
  fresh(seed?: string): string
  /** A short id with a prefix that says what it names. A seed is an id, too; what is made from it has its time. */
  id(prefix: string, seed?: string): string
  digest(text: string): string
  /** Lower-case base32, fit for names. */
  nameDigest(text: string): string
  challenge(verifier: string): string
  sameDigest(a: string, b: string): boolean
  /** Proves that a browser came back from consent; the same for the same link, so a reload changes nothing. */
  completionCode(round: string): string
  fingerprint(secret: Secret): string
  sign(text: string, secret: Secret): string
}

export type Idempotency = {
  /** A turn for who may do the work; for the others, what is known of the first request with this id. */
  begin(id: string, digest: string, seed: string): Promise<Turn | { digest: string; answer: string | undefined }>
  finish(turn: Turn, sealedAnswer: string): Promise<void>
  /** Nothing was done: the next request with this id is the first. */
  forget(turn: Turn): Promise<void>
  /** Nobody knows what was done: the same request may try again at once, with the same seed. */
  letGo(turn: Turn): Promise<void>
  forgetOld(): Promise<void>
}

/** What a request with an Idempotency-Key makes has an id from its seed, so a second try finds what the first made. */
export type Once = {
  seed: string
  /** An earlier try began, and did not live to say what it did. */
  again: boolean
}

/** Whoever took longer than a request may take has lost its turn to another, which the fence tells. */
export type Turn = Once & { id: string; fence: number }

export type RateLimits = {
  /** Nothing when it was allowed. */
  take(rule: RateRule, who: string): Promise<{ retryAfterSeconds: number } | undefined>
}
