import type { Secret } from '../../../kit/secret.ts'
import type { Callback } from '../../shared/domain/callback.ts'
import type { Headers } from './workload.ts'

/** What has to be known to ask the agent, by whichever process comes to it. Sealed at rest: it is the caller's. */
export type Asked = {
  method: string
  path: string
  headers: Headers
  body: string
  thread: string | undefined
  callback: Callback | undefined
}

export type Told = { status: number; text: string; length: number }

/** A request whose caller did not wait. Its id is the one that the caller was given, and stays with it. */
export type NewAsyncRequest = { id: string; workspace: string; agent: string; agentId: string; asked: Secret<Asked> }

export type AsyncRequest = NewAsyncRequest & {
  /** What the agent answered, once it has. */
  answer: Secret<Told> | undefined
  /** How often the agent was asked, this time included. */
  asks: number
  /** How often the callback did not take the answer. */
  refusals: number
}

/** Requests that were accepted and are not over. One process has each of them, for as long as it renews. */
export type AsyncRequests = {
  /** Without an owner, whichever process looks next takes it. */
  add(request: NewAsyncRequest, owner: string | undefined): Promise<void>
  /** Those that are due, or whose owner is gone. */
  claim(owner: string, room: number): Promise<AsyncRequest[]>
  renew(owner: string, ids: readonly string[]): Promise<void>
  /** False: it took so long that another process has it. */
  answered(id: string, owner: string, answer: Secret<Told>): Promise<boolean>
  refused(id: string, owner: string, againInSeconds: number): Promise<void>
  done(id: string, owner: string): Promise<void>
  /** Gives back what this owner has. */
  release(owner: string): Promise<void>
}

/** An agent that takes the process down with it must not do so for ever. */
export const mostAsks = 3

export const againInSeconds = (refusals: number): number => Math.min(0.25 * 2 ** refusals, 30)
