import type { Secret } from '../../../kit/crypto/secret.ts'
import { backoffSeconds } from '../../../kit/process/backoff.ts'
import type { Callback } from '../../shared/domain/callback.ts'
import type { Headers } from './workload.ts'

/** The request, for whichever process sends it to the agent. Sealed at rest: it is the caller's data. */
export type AgentCall = {
  method: string
  path: string
  headers: Headers
  body: string
  thread: string | undefined
  callback: Callback | undefined
}

export type AgentReply = { status: number; text: string; length: number }

/** A request whose caller did not wait. Its id is the one that the caller was given, and stays with it. */
export type NewAsyncRequest = {
  id: string
  workspace: string
  agent: string
  agentId: string
  asked: Secret<AgentCall>
}

export type AsyncRequest = NewAsyncRequest & {
  /** What the agent answered, once it has. */
  answer: Secret<AgentReply> | undefined
  /** How many processes had it since one last wrote what became of it, this one included. */
  claims: number
  /** How often the callback did not take the answer. */
  refusals: number
}

/** Requests that were accepted and are not over. One process has each of them, for as long as it renews. */
export type AsyncRequests = {
  /** Without an owner, whichever process looks next takes it. False: its workspace has too many that are not over. */
  add(request: NewAsyncRequest, owner: string | undefined): Promise<boolean>
  /** Those that are due, or whose owner is gone; of each workspace no more than its share, what it has included. */
  claim(owner: string, room: RequestRoom): Promise<AsyncRequest[]>
  renew(owner: string, ids: readonly string[]): Promise<void>
  /** Returns false if it took so long that another process has it. */
  answered(id: string, owner: string, answer: Secret<AgentReply>): Promise<boolean>
  refused(id: string, owner: string, againInSeconds: number): Promise<void>
  done(id: string, owner: string): Promise<void>
  /** Releases what this owner has. */
  release(owner: string): Promise<void>
}

/** What a process can still take: in all, what it has of each workspace, and how many suspects. */
export type RequestRoom = { total: number; taken: ReadonlyMap<string, number>; suspects: number }

/** What a process works on at the same time. */
export const atATime = 64

/** What one workspace may have of it, so that slow agents of one tenant leave slots for those of others. */
export const shareOfWorkspace = atATime / 4

/** What one workspace may have that is not over; more is refused. */
export const mostOfWorkspace = 1_000

export const againInSeconds = (refusals: number): number =>
  backoffSeconds(refusals, { firstSeconds: 0.25, longestSeconds: 30 })
