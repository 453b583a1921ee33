import { z } from 'zod'
import { causeCodes } from '../domain/cause.ts'
import { failureCodes } from '../domain/failure.ts'
import { tenantIdPattern } from '../domain/tenant.ts'

export const EndUser = z.strictObject({
  id: z.string(),
  displayName: z.string().optional(),
  email: z.string().optional(),
})

/** Any id in a path: what is not one of ours is simply not found. */
export const Id = z.string().min(1).max(200)

export const TenantId = z.string().regex(tenantIdPattern, 'must be lowercase letters, digits and hyphens, at most 63')

export const shown = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')

export const CompletionChallenge = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the base64url SHA-256 of your verifier')

export const reason = shown(500).meta({ description: 'Why. It stands in the audit.' })

export const ReasonBody = z.strictObject({ reason })

/** Who gives no reason sends no body: a program that resumes or replays by itself has none to give. */
export const MaybeReasonBody = z.strictObject({ reason: reason.optional() })

const wholeNumber = 'must be a whole number from 1 to 200'

export const limit = z.coerce.number(wholeNumber).int(wholeNumber).min(1, wholeNumber).max(200, wholeNumber).default(50)

// A text that is no cursor would sort before or behind every id, and its caller would take an empty page for the end.
export const after = (pattern: RegExp) => z.string().regex(pattern, 'must be a cursor of ours').optional()

/** A page of connections goes on behind the id of its last one. */
export const connectionCursor = after(/^con_[\w-]{1,100}$/)

export const time = z.iso.datetime()

export const UpstreamAccount = z.strictObject({ id: z.string(), label: z.string() }).meta({
  description: 'The account at the third party that granted access.',
})

export const CauseAnswer = z.strictObject({
  code: z.enum(causeCodes),
  whoseMove: z.enum(['user', 'tenant', 'support', 'provider', 'platform']),
  title: z.string(),
  advice: z.string(),
})

export const pageOf = (item: z.ZodType) =>
  z.strictObject({
    data: z.array(item),
    meta: z.strictObject({ nextCursor: z.string().meta({ description: 'Empty on the last page.' }) }),
  })

/** RFC 9457. */
export const ProblemAnswer = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string().meta({ description: 'The id of the request, for support.' }),
  code: z.enum(failureCodes),
  errors: z
    .array(z.strictObject({ pointer: z.string().meta({ description: 'JSON pointer' }), detail: z.string() }))
    .optional(),
})

export const pageAnswer = <T, A>(
  { data, nextCursor }: { data: T[]; nextCursor: string | undefined },
  answer: (item: T) => A,
) => ({
  data: data.map(answer),
  meta: { nextCursor: nextCursor ?? '' },
})
