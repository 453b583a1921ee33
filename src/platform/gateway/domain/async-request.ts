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

/** Accepted requests that are not finished. A process owns a request while it renews its lease. */
export type AsyncRequests = {
  /** Without an owner, any process may claim it. Returns false if the workspace is at its limit. */
  add(request: NewAsyncRequest, owner: string | undefined, answer?: Secret<AgentReply>): Promise<boolean>
  hasFired(fire: TriggerFire): Promise<boolean>
  /** Adds the requests of a fire once, however many processes call it, unless the workspace is at its limit. */
  addFired(fire: TriggerFire, requests: readonly NewAsyncRequest[]): Promise<void>
  /** Claims requests that are due or whose lease has expired, up to the share of each workspace. */
  claim(owner: string, room: RequestRoom): Promise<ClaimedRequests>
  renew(owner: string, ids: readonly string[]): Promise<void>
  answered(id: string, owner: string, answer: Secret<AgentReply>): Promise<boolean>
  refused(id: string, owner: string, againInSeconds: number): Promise<void>
  done(id: string, owner: string): Promise<void>
  release(owner: string): Promise<void>
}

type RequestRoom = { total: number; taken: ReadonlyMap<string, number>; suspects: number }

export const maxConcurrent = 64

export const maxConcurrentPerWorkspace = maxConcurrent / 4

export const maxPerWorkspace = 1_000

export const againInSeconds = (refusals: number): number =>
  backoffSeconds(refusals, { firstSeconds: 0.25, maxSeconds: 30 })
