import type { Secret } from '../../../kit/crypto/secret.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import type { CatalogueItem } from '../catalogue/catalogue-item.ts'
import type { ClientVerdict } from '../health/unexplained-refusal.ts'
import type { Integration, OAuthClient, Profile } from '../integration.ts'
import type { Link } from '../link.ts'
import type { RateRule } from '../rate-limit.ts'

export type Page<T> = { data: T[]; nextCursor: string | undefined }

export type Audit = { note(entry: AuditEntry): Promise<void> }

export type Seal = {
  /** `context` names record and field. The value opens only in the same context. */
  seal(plaintext: Secret, context: string): string
  /** For short-lived values outside the ledger. */
  sealBriefly(plaintext: Secret, context: string): string
  open(envelope: string, context: string): Secret
}

export type Tokens = {
  /** 256 bits, base64url. Deterministic for a seed; not guessable from it. */
  fresh(seed?: string): string
  /** Reads the random source once for all of them. */
  freshOnes(count: number): string[]
  /** Short ID with a prefix. A seed is an ID; the derived ID has its time. */
  id(prefix: string, seed?: string): string
  /** Deterministic. Sorts like an ID that was made at this time. */
  idAt(prefix: string, at: Date, seed: string): string
  digest(text: string): string
  nameDigest(text: string): string
  challenge(verifier: string): string
  sameDigest(a: string, b: string): boolean
  /** Proves that a browser came back from consent. Deterministic, so a reload changes nothing. */
  completionCode(round: string): string
  fingerprint(secret: Secret): string
  deploymentProof(text: string): string
  secretDigest(secret: Secret): string
  sign(text: string, secret: Secret): string
  /** Keyed hash of a user ID, specific to this deployment. */
  userHash(user: { tenant: string; id: string }): string
}

export type Idempotency = {
  /** Returns a claim to the first request with this key, and its stored state to the others. */
  begin(id: string, digest: string, seed: string): Promise<IdempotencyClaim | EarlierRequest>
  /** A claim lapses after `claimSeconds` unless it is renewed. */
  renew(claim: IdempotencyClaim): Promise<void>
  finish(claim: IdempotencyClaim, sealedAnswer: string): Promise<void>
  /** Nothing was done: the next request with this key is the first. */
  release(claim: IdempotencyClaim): Promise<void>
  /** The result is unknown: the same request may retry at once, with the same seed. */
  abandon(claim: IdempotencyClaim): Promise<void>
  forgetOld(): Promise<void>
}

/** Longer than a stall of the process or a short outage of the ledger, so that a live request keeps its claim. */
export const claimSeconds = 10

export const secondsUntilLapse = (heldSeconds: number): number => Math.max(1, Math.ceil(claimSeconds - heldSeconds))

type EarlierRequest = { digest: string } & ({ answer: string } | { answer: undefined; retryAfterSeconds: number })

export type IdempotencyClaim = {
  id: string
  /** A lapsed claim loses the key to another request with a higher fence. */
  fence: number
  /** IDs of created resources derive from it, so a retry finds them. */
  seed: string
  /** An earlier attempt died before its response was stored. */
  isRetry: boolean
}

/** Second store for decisions that must not happen twice, even if the ledger loses its last second. */
export type Marks = {
  /** Keeps the first value of a register. Returns whether `value` is the one kept, so a repeated call is safe. */
  claim(register: MarkRegister, subject: string, value: string): Promise<boolean>
  /** A no-op if another value is kept. */
  release(register: MarkRegister, subject: string, value: string): Promise<void>
}

type MarkRegister = 'sent' | 'grant'

/** Whether providers accept an OAuth client, for ten minutes and for all processes. */
export type ClientVerdicts = {
  find(client: string): Promise<ClientVerdict | undefined>
  keep(client: string, verdict: ClientVerdict): Promise<void>
}

export const verdictSeconds = 10 * 60

export type RateLimits = {
  take(rule: RateRule, who: string): Promise<{ retryAfterSeconds: number } | undefined>
}

export type Integrations = {
  find(id: string): Integration | undefined
  /** In test mode every integration uses the built-in provider. */
  of(owner: { tenant: string; integration: string }): Integration | undefined
  configured(): Integration[]
  /** Without changes of the deployment. Includes listed profiles, which `find` does not return. */
  shipped(id: string): Profile | undefined
  /** The newest of the issuer if `clientId` is undefined. */
  registeredClient(issuer: string, clientId: string | undefined): Promise<OAuthClient | undefined>
  items(): readonly CatalogueItem[]
}

export type Clock = () => Date

type Chance = () => number

export type Pause = (ms: number) => Promise<void>

export type Background = {
  keep<T>(work: Promise<T>): Promise<T>
  /** The program is about to end. */
  isHurried(): boolean
}

export type LinkTraces = {
  /** Returns the `traceparent`, or undefined if tracing is off. */
  begin(link: Pick<Link, 'id' | 'tenant' | 'integration' | 'connectionId'>): string | undefined
  within<T>(
    part: 'link.exchange' | 'link.provision',
    link: Pick<Link, 'id' | 'traceparent'>,
    work: () => Promise<T>,
  ): Promise<T>
}

export type SharedPorts = {
  integrations: Integrations
  seal: Seal
  tokens: Tokens
  audit: Audit
  idempotency: Idempotency
  rates: RateLimits
  marks: Marks
  clientVerdicts: ClientVerdicts
  now: Clock
  chance: Chance
  pause: Pause
  background: Background
  traces: LinkTraces
}
