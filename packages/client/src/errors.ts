import { moveOf, type Pending, stillPending } from './still-pending.ts'
import type { Cause, ConnectionTask, Link, Problem, ProblemCode, WhoseMove } from './types.ts'

/** Base class of all errors of this package. `whoseMove` names who can fix it. */
export abstract class CausewayError extends Error {
  abstract readonly code: string
  abstract readonly whoseMove: WhoseMove
}

/** The API rejected a request. */
export class ApiError extends CausewayError {
  override readonly name = 'ApiError'
  readonly code: ProblemCode | 'unreadable_response'
  readonly whoseMove: WhoseMove
  readonly status: number
  /** The invalid parts of the request. */
  readonly errors: NonNullable<Problem['errors']>
  /** The page that explains the problem. */
  readonly docs: string | undefined
  /** Include it when you contact support. */
  readonly requestId: string | undefined
  /** From `Retry-After`, if present. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, problem: Partial<Problem>, retryAfterSeconds?: number) {
    const {
      code = 'unreadable_response',
      detail = `The API answered ${status}.`,
      errors = [],
      instance,
      docs,
    } = problem
    // `detail` has the first error, except from servers before 0.4.
    const others = errors.filter((each, at) => at > 0 || !detail.includes(each.detail))
    super([`${code}: ${detail}`, ...others.map(sentenceOf), ...(docs ? [`See ${docs}`] : [])].join(' '))
    this.code = code
    this.status = status
    this.errors = errors
    this.docs = docs
    this.requestId = instance
    this.retryAfterSeconds = retryAfterSeconds
    this.whoseMove = problem.whoseMove ?? moveFor(status)
  }
}

/** `detail` is a predicate or, with a capital letter, a sentence. */
function sentenceOf({ pointer, parameter, header, detail }: NonNullable<Problem['errors']>[number]): string {
  const part = parameter ?? header ?? pointer.slice(1).replaceAll('/', '.')
  const said = /^\p{Lu}/u.test(detail) ? detail : `${part} ${detail}`
  return /[.?]$/.test(said) ? said : `${said}.`
}

/** For responses without `whoseMove`, such as those of a proxy. */
function moveFor(status: number): WhoseMove {
  return status < 500 ? 'tenant' : 'operator'
}

/** A setting or argument is missing or invalid. No request was sent. */
export class ArgumentError extends CausewayError {
  override readonly name = 'ArgumentError'
  readonly code = 'argument_invalid'
  readonly whoseMove = 'tenant'
}

/** The API is unreachable or timed out. */
export class UnreachableError extends CausewayError {
  override readonly name = 'UnreachableError'
  readonly code = 'unreachable'
  readonly whoseMove = 'operator'

  constructor(address: string, cause: unknown) {
    super(`${address} did not answer (${reasonOf(cause)}). Is Causeway running there?`, { cause })
  }
}

/** Node's fetch puts the reason into `cause`, as a code such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message ?? String(error)
}

/** The browser did not start this connect session, or the return URL has no result. */
export class ReturnError extends CausewayError {
  override readonly name = 'ReturnError'
  readonly whoseMove: WhoseMove
  /** Express responds with this status. */
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

/** Still pending after `timeoutMs`. The message names the current step and what it waits for. */
export class WaitError extends CausewayError {
  override readonly name = 'WaitError'
  readonly code = 'still_pending'
  readonly whoseMove: WhoseMove
  /** Set if the current step is failing. */
  override readonly cause: Cause | undefined

  /** `last` is the state that was read last. */
  constructor(readonly last: Pending) {
    super(stillPending(last))
    this.whoseMove = moveOf(last)
    this.cause = 'cause' in last ? last.cause : undefined
  }
}

/** The signature of a message is invalid or too old. */
export class WebhookError extends CausewayError {
  override readonly name = 'WebhookError'
  readonly code = 'signature_invalid'
  readonly whoseMove = 'tenant'
  /** Express responds with this status. */
  readonly statusCode = 400
}
