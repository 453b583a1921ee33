import { moveOf, type Pending, stillPending } from './still-pending.ts'
import type { Cause, ConnectionTask, Link, Problem, ProblemCode, WhoseMove } from './types.ts'

/** Everything this package throws. `code` is for programs, `whoseMove` says who can change it, `message` is for people. */
export abstract class CausewayError extends Error {
  abstract readonly code: string
  abstract readonly whoseMove: WhoseMove
}

/** The API refused a request. */
export class ApiError extends CausewayError {
  override readonly name = 'ApiError'
  readonly code: ProblemCode | 'unreadable_response'
  readonly whoseMove: WhoseMove
  readonly status: number
  /** Which parts of the request are not valid. */
  readonly errors: NonNullable<Problem['errors']>
  /** Tell it to support. */
  readonly requestId: string | undefined
  /** In how many seconds it is worth trying again, if the API said so. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, problem: Partial<Problem>, retryAfterSeconds?: number) {
    const { code = 'unreadable_response', detail = `The API answered ${status}.`, errors = [], instance } = problem
    super([`${code}: ${detail}`, ...errors.map((each) => `${partOf(each)} ${each.detail}`)].join(' '))
    this.code = code
    this.status = status
    this.errors = errors
    this.requestId = instance
    this.retryAfterSeconds = retryAfterSeconds
    this.whoseMove = problem.whoseMove ?? moveFor(status)
  }
}

/** As its sender calls it. */
function partOf({ pointer, parameter, header }: NonNullable<Problem['errors']>[number]): string {
  if (parameter !== undefined) return `Parameter ${parameter}`
  return header === undefined ? pointer : `Header ${header}`
}

/** For an answer that does not say it, such as one of a proxy: what a request lacks is its sender's to mend. */
function moveFor(status: number): WhoseMove {
  return status < 500 ? 'tenant' : 'operator'
}

/** What the package was given cannot be used: a setting is missing, or an argument is. Nothing was sent. */
export class ArgumentError extends CausewayError {
  override readonly name = 'ArgumentError'
  readonly code = 'argument_invalid'
  readonly whoseMove = 'tenant'
}

/** The API could not be reached, or did not answer in time. */
export class UnreachableError extends CausewayError {
  override readonly name = 'UnreachableError'
  readonly code = 'unreachable'
  readonly whoseMove = 'operator'

  constructor(address: string, cause: unknown) {
    super(`${address} did not answer (${reasonOf(cause)}). Is Causeway running there?`, { cause })
  }
}

/** Node's own fetch says why in the cause of its error, as a code such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message ?? String(error)
}

/** The browser that came back is not the one that set out, or came back with nothing. */
export class ReturnError extends CausewayError {
  override readonly name = 'ReturnError'
  /** A page that nobody came back to was called, or handed on, wrongly; the rest is for the user to begin again. */
  readonly whoseMove: WhoseMove
  /** What to answer that browser. Express does so by itself. */
  readonly statusCode = 400

  constructor(
    readonly code: 'state_missing' | 'state_unreadable' | 'state_mismatch' | 'query_missing' | 'result_missing',
    message: string,
  ) {
    super(message)
    this.whoseMove = code === 'query_missing' ? 'tenant' : 'user'
  }
}

/** A link did not end `linked`. */
export class LinkError extends CausewayError {
  override readonly name = 'LinkError'
  readonly code: string
  readonly whoseMove: WhoseMove
  override readonly cause: Cause | undefined

  constructor(readonly link: Link) {
    super(link.cause ? `${link.cause.title}. ${link.cause.advice}` : `The link is ${link.status}.`)
    this.cause = link.cause
    this.code = link.cause?.code ?? link.status
    this.whoseMove = link.cause?.whoseMove ?? 'support'
  }
}

/** A disconnect or a rollback failed. */
export class TaskError extends CausewayError {
  override readonly name = 'TaskError'
  readonly code: string
  readonly whoseMove: WhoseMove
  override readonly cause: Cause | undefined

  constructor(readonly task: ConnectionTask) {
    super(task.cause ? `${task.cause.title}. ${task.cause.advice}` : `The ${task.kind} failed.`)
    this.cause = task.cause
    this.code = task.cause?.code ?? 'failed'
    this.whoseMove = task.cause?.whoseMove ?? 'support'
  }
}

/** It was still under way when the time to wait was over. `message` says where it has got to, and what it waits for. */
export class WaitError extends CausewayError {
  override readonly name = 'WaitError'
  readonly code = 'still_pending'
  readonly whoseMove: WhoseMove
  /** Why its step fails, if it does. */
  override readonly cause: Cause | undefined

  /** `last`: as it was read last, with the step it is at and what it waits for. */
  constructor(readonly last: Pending) {
    super(stillPending(last))
    this.whoseMove = moveOf(last)
    this.cause = 'cause' in last ? last.cause : undefined
  }
}

/** A message is not from Causeway, or too old. */
export class WebhookError extends CausewayError {
  override readonly name = 'WebhookError'
  readonly code = 'signature_invalid'
  readonly whoseMove = 'tenant'
  /** What to answer its sender. Express does so by itself. */
  readonly statusCode = 400
}
