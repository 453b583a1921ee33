// An API route is data. serve-routes.ts serves it, and the OpenAPI document describes it.
import type { Request, Response } from 'express'
import { z } from 'zod'
import type { RouteDescription } from '../../kit/http/openapi/route-description.ts'
import type { KeyPurpose } from '../domain/api-key.ts'
import type { Actor } from '../domain/audit/audit.ts'
import type { FailureCode } from '../domain/failure.ts'
import type { Deps } from '../domain/ports/ports.ts'
import type { IdempotencyClaim } from '../domain/ports/shared.ts'
import type { Caller } from '../domain/tenant.ts'
import type { Languages } from './languages.ts'

type ApiAnswer = { status: number; body?: unknown }

export type Act = (claim?: IdempotencyClaim) => Promise<ApiAnswer>

/** Runs the request, or replays its stored response. */
export type AnswerIdempotently = (req: Request, res: Response, act: Act) => Promise<ApiAnswer>

/** The input of a handler besides the request. */
export type Answering = Deps & { languages: Languages }

export type RouteInput<P, Q, B> = Answering & {
  params: P
  query: Q
  body: B
  caller: Caller
  actor: Actor
  /** Set if the request has an Idempotency-Key: created resources derive their IDs from its seed. */
  claim: IdempotencyClaim | undefined
}

type Particulars = {
  operationId: string
  /** Resource and method in `@causeway/client`. `npm run generate` writes the method. */
  client: `${string}.${string}`
  /** The method's doc comment. */
  clientNote: string | undefined
  tag: string
  /** The keys that open the route. Undefined: those without a purpose. */
  purpose: KeyPurpose | undefined
  /** In addition to those of every route. */
  failures: readonly FailureCode[]
  /** For `Accept: text/csv`. */
  csv: ((body: unknown) => string) | undefined
}

/** For `Accept: application/x-ndjson`: one line per value. */
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
  'method' | 'path' | 'operationId' | 'client' | 'summary' | 'description' | 'tag' | 'answers'
> &
  Partial<Particulars> & {
    params?: P
    query?: z.ZodObject<Q>
    body?: B
    lines?: Lines<RouteInput<z.output<z.ZodObject<P>>, z.output<z.ZodObject<Q>>, z.output<B>>>
    handle(input: RouteInput<z.output<z.ZodObject<P>>, z.output<z.ZodObject<Q>>, z.output<B>>): Promise<ApiAnswer>
  }

/** Binds the schema types to the handler. */
export function route<P extends z.ZodRawShape, Q extends z.ZodRawShape, B extends z.ZodType>(
  described: ApiRouteDescription<P, Q, B>,
): ApiRoute {
  const { params = {}, query = z.strictObject({}), body, handle, lines, ...rest } = described
  return {
    clientNote: undefined,
    purpose: undefined,
    csv: undefined,
    failures: [],
    ...rest,
    lines: lines as ApiRoute['lines'],
    params: z.strictObject(params),
    query,
    body,
    // A missing body is read as an empty one.
    bodyOptional: body?.safeParse({}).success ?? true,
    handle: handle as ApiRoute['handle'],
  }
}
