import type { Secret } from '../../../kit/crypto/secret.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import type { CatalogueItem } from '../catalogue/catalogue-item.ts'
import type { Integration, OAuthClient } from '../integration.ts'
import type { Link } from '../link.ts'
import type { RateRule } from '../rate-limit.ts'

export type Page<T> = { data: T[]; nextCursor: string | undefined }

export type Audit = { note(entry: AuditEntry): Promise<void> }

export type Seal = {
  /** `context` names the record and the field; an envelope does not open anywhere else. */
  seal(plaintext: Secret, context: string): string
  /** For what lives for minutes, outside of the ledger. */
  sealBriefly(plaintext: Secret, context: string): string
  open(envelope: string, context: string): Secret
}

export type Tokens = {
  /** 256 bits, base64url: random, or from a seed and then always the same ones. Who knows the seed cannot guess them. */
  fresh(seed?: string): string
  /** So many that are needed at the same moment: the system is asked once for all of them. */
  freshOnes(count: number): string[]
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
  /** Tells secrets apart, however many there are, and says nothing else of them. */
  /** What only this deployment can say of a text. */
  deploymentProof(text: string): string
  secretDigest(secret: Secret): string
  sign(text: string, secret: Secret): string
  /** Tells the users of one tenant apart without saying who they are: a keyed hash, another one in another deployment. */
  userHash(user: { tenant: string; id: string }): string
}

export type Idempotency = {
  /** A claim for the request that may do the work; for the others, what is known of the first one with this id. */
  begin(
    id: string,
    digest: string,
    seed: string,
  ): Promise<IdempotencyClaim | { digest: string; answer: string | undefined }>
  finish(claim: IdempotencyClaim, sealedAnswer: string): Promise<void>
  /** Nothing was done: the next request with this id is the first. */
  release(claim: IdempotencyClaim): Promise<void>
  /** Nobody knows what was done: the same request may try again at once, with the same seed. */
  abandon(claim: IdempotencyClaim): Promise<void>
  forgetOld(): Promise<void>
}

/** Belongs to the one request that may do the work of an Idempotency-Key. */
export type IdempotencyClaim = {
  id: string
  /** A request that took longer than requests may take has lost the key to another one, whose fence is higher. */
  fence: number
  /** Ids of what the request creates are made of it, so a retry finds what the first try created. */
  seed: string
  /** An earlier try began, and died before its answer was stored. */
  isRetry: boolean
}

export type RateLimits = {
  /** Undefined if it was allowed. */
  take(rule: RateRule, who: string): Promise<{ retryAfterSeconds: number } | undefined>
}

/** The integrations of this deployment. */
export type Integrations = {
  find(id: string): Integration | undefined
  /** As a tenant gets it: in test mode, every integration is at the built-in provider. */
  of(owner: { tenant: string; integration: string }): Integration | undefined
  /** Those of the deployment's integrations file. */
  configured(): Integration[]
  /** The client that this deployment has made for itself at an authorization server of that integration. */
  registeredClient(integration: string, issuer: string): Promise<OAuthClient | undefined>
  items(): readonly CatalogueItem[]
}

export type Clock = () => Date

/** A random number from 0 up to 1. */
export type Chance = () => number

export type Pause = (ms: number) => Promise<void>

/** Work that may outlive the request that began it. */
export type Background = { keep<T>(work: Promise<T>): Promise<T> }

/** Traces of links, if they are on: one link is one trace, from its beginning to its end, whichever processes it meets. */
export type LinkTraces = {
  /** Returns the `traceparent` of the trace that begins, or undefined if traces are off. */
  begin(link: Pick<Link, 'id' | 'tenant' | 'integration' | 'connectionId'>): string | undefined
  /** Does the work as a part of the link's trace. */
  within<T>(
    part: 'link.exchange' | 'link.provision',
    link: Pick<Link, 'id' | 'traceparent'>,
    work: () => Promise<T>,
  ): Promise<T>
}

/** What every area may ask for. */
export type SharedPorts = {
  integrations: Integrations
  seal: Seal
  tokens: Tokens
  audit: Audit
  idempotency: Idempotency
  rates: RateLimits
  now: Clock
  chance: Chance
  pause: Pause
  background: Background
  traces: LinkTraces
}
