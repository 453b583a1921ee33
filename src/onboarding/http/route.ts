// An API route is data: what it takes, what it answers, and the flow it calls. Express serves it (serve-routes.ts), and
// the OpenAPI document describes it, from the same object.
import type { Request, Response } from 'express'
import { z } from 'zod'
import type { RouteDescription } from '../../kit/http/openapi/route-description.ts'
import type { Actor } from '../domain/audit/audit.ts'
import type { FailureCode } from '../domain/failure.ts'
import type { IdempotencyClaim } from '../domain/ports/shared.ts'
import type { Caller } from '../domain/tenant.ts'

export type ApiAnswer = { status: number; body?: unknown }

export type Act = (claim?: IdempotencyClaim) => Promise<ApiAnswer>

/** Does the work, or gives the answer that the same request got before. */
export type AnswerIdempotently = (req: Request, res: Response, act: Act) => Promise<ApiAnswer>

export type RouteInput<P, Q, B> = {
  params: P
  query: Q
  body: B
  caller: Caller
  actor: Actor
  /** Present where the request has an Idempotency-Key: what it creates takes its id from the seed. */
  claim: IdempotencyClaim | undefined
}

/** What onboarding's routes have beside what any route has. */
type Particulars = {
  operationId: string
  tag: string
  /** Failures that are this route's own, beside those any route may answer with. */
  failures: readonly FailureCode[]
  /** The same body as a table, for who asks with `Accept: text/csv`. */
  csv: ((body: unknown) => string) | undefined
}

/** Everything at once, for who asks with `Accept: application/x-ndjson`: each value is a line. */
type Lines<Input> = (input: Input) => Promise<AsyncIterable<unknown>>

export type ApiRoute = RouteDescription &
  Particulars & {
    params: z.ZodObject
    query: z.ZodObject
    lines: Lines<RouteInput<never, never, never>> | undefined
    handle(input: RouteInput<never, never, never>): Promise<ApiAnswer>
  }

type ApiRouteDescription<P extends z.ZodRawShape, Q extends z.ZodRawShape, B extends z.ZodType> = Pick<
  ApiRoute,
  'method' | 'path' | 'operationId' | 'summary' | 'description' | 'tag' | 'answers'
> &
  Partial<Particulars> & {
    params?: P
    query?: z.ZodObject<Q>
    body?: B
    lines?: Lines<RouteInput<z.output<z.ZodObject<P>>, z.output<z.ZodObject<Q>>, z.output<B>>>
    handle(input: RouteInput<z.output<z.ZodObject<P>>, z.output<z.ZodObject<Q>>, z.output<B>>): Promise<ApiAnswer>
  }

/** Ties the types of what is taken to what the handler gets. */
export function route<P extends z.ZodRawShape, Q extends z.ZodRawShape, B extends z.ZodType>(
  described: ApiRouteDescription<P, Q, B>,
): ApiRoute {
  const { params = {}, query = z.strictObject({}), body, handle, lines, ...rest } = described
  return {
    csv: undefined,
    failures: [],
    ...rest,
    lines: lines as ApiRoute['lines'],
    params: z.strictObject(params),
    query,
    body,
    // What is sent without a body is read as an empty one.
    bodyOptional: body?.safeParse({}).success ?? true,
    handle: handle as ApiRoute['handle'],
  }
}
