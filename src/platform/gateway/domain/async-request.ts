import type { Secret } from '../../../kit/crypto/secret.ts'
import { backoffSeconds } from '../../../kit/process/backoff.ts'
import type { Callback } from '../../shared/domain/callback.ts'
import type { Headers } from './workload.ts'

type AgentCall = {
  method: string
  path: string
  headers: Headers
  body: string
  thread: string | undefined
  callback: Callback | undefined
}

export type AgentReply = { status: number; text: string; length: number }

export type NewAsyncRequest = {
  id: string
  workspace: string
  agent: string
  agentId: string
  /** Sent without a credential, at a public trigger. */
  isAnonymous: boolean
  asked: Secret<AgentCall>
}

export type AsyncRequest = NewAsyncRequest & {
  answer: Secret<AgentReply> | undefined
  /** Claims since a process last stored progress, including the current one. */
  claims: number
  refusals: number
}

type TriggerFire = { resourceId: string; trigger: number; firedFor: Date }

type ClaimedRequests = {
  requests: AsyncRequest[]
  lost: Array<Pick<AsyncRequest, 'id' | 'workspace' | 'agent'>>
}

/**
 * A workspace has one share for requests with a credential and a smaller one for anonymous requests, so that strangers
 * cannot use up its places.
 */
export const shareOf = ({ workspace, isAnonymous }: Pick<AsyncRequest, 'workspace' | 'isAnonymous'>): string =>
  isAnonymous ? `${anonymousShare}${workspace}` : workspace

/** No name of a workspace begins with it. */
export const anonymousShare = 'anonymous '

/** Accepted requests that are not finished. A process owns a request while it renews its lease. */
export type AsyncRequests = {
  /** Without an owner, any process may claim it. Returns false if the share is full. */
  add(request: NewAsyncRequest, owner: string | undefined, answer?: Secret<AgentReply>): Promise<boolean>
  hasFired(fire: TriggerFire): Promise<boolean>
  /** Adds the requests of a fire once, however many processes call it, unless the workspace is at its limit. */
  addFired(fire: TriggerFire, requests: readonly NewAsyncRequest[]): Promise<void>
  /** Claims requests that are due or whose lease has expired, up to the places of each share. */
  claim(owner: string, room: RequestRoom): Promise<ClaimedRequests>
  renew(owner: string, ids: readonly string[]): Promise<void>
  answered(id: string, owner: string, answer: Secret<AgentReply>): Promise<boolean>
  refused(id: string, owner: string, againInSeconds: number): Promise<void>
  done(id: string, owner: string): Promise<void>
  release(owner: string): Promise<void>
}

/** `taken` is by share. */
type RequestRoom = { total: number; taken: ReadonlyMap<string, number>; suspects: number }

export const maxConcurrent = 64

const maxConcurrentPerShare = { own: maxConcurrent / 4, anonymous: maxConcurrent / 8 }

const maxPerShare = { own: 1_000, anonymous: 200 }

type Share = { isAnonymous: boolean }

export const maxConcurrentOf = ({ isAnonymous }: Share): number =>
  isAnonymous ? maxConcurrentPerShare.anonymous : maxConcurrentPerShare.own

export const maxStoredOf = ({ isAnonymous }: Share): number => (isAnonymous ? maxPerShare.anonymous : maxPerShare.own)

export const againInSeconds = (refusals: number): number =>
  backoffSeconds(refusals, { firstSeconds: 0.25, maxSeconds: 30 })
