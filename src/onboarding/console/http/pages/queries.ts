// Query strings and form fields of the console. An empty field means "any".
import { z } from 'zod'
import { causeCodes } from '../../../domain/cause.ts'
import { connectionStatuses } from '../../../domain/connection.ts'
import { Failure } from '../../../domain/failure.ts'
import { linkStates } from '../../../domain/link.ts'
import { tenantIdPattern } from '../../../domain/tenant.ts'
import { deliveryStatuses } from '../../../domain/webhooks/delivery.ts'
import { AuditActionName } from '../audit-api.ts'

export const optional = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

/** One of a form's options. A bookmarked or typed address may contain another value. */
export const choice = <const Name extends string>(names: readonly [Name, ...Name[]]) =>
  z.enum(names, 'is not one of the options')

export const text = (most: number) => z.string('must be a single text').max(most, `is longer than ${most} characters`)

const word = text(200).trim()
/** As it is in the ledger, however it was typed. */
const tenantId = word.toLowerCase()
const id = z.string().regex(/^[a-z]{2,4}_[0-9a-z]{1,60}$/, 'is not a valid ID')
const day = z.iso.date('must be a date such as 2026-01-31')

export const ConnectionsQuery = z.object({
  tenant: optional(tenantId),
  integration: optional(word),
  status: optional(choice(connectionStatuses)),
  cause: optional(choice(causeCodes)),
  health: optional(choice(['unknown', 'ending'])),
  from: optional(day),
  to: optional(day),
  cursor: optional(id),
})

export const LinksQuery = z.object({
  tenant: optional(tenantId),
  integration: optional(word),
  state: optional(choice(linkStates)),
  cause: optional(choice(causeCodes)),
  retrying: optional(z.literal('yes')),
  from: optional(day),
  to: optional(day),
  cursor: optional(id),
})

// Consists of the ids of an event and a webhook.
const deliveryId = z.string().regex(/^[\w.-]{1,120}$/, 'is not a valid ID')

export const DeliveriesQuery = z.object({
  tenant: optional(tenantId),
  status: optional(choice(deliveryStatuses)),
  cursor: optional(deliveryId),
})

/** Days are whole: the last one is meant, too. */
export const spanOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => ({
  from: from ? new Date(from) : undefined,
  to: to ? new Date(new Date(to).getTime() + 86_400_000) : undefined,
})

export const DeliveryAt = z.object({ tenant: z.string().regex(tenantIdPattern), id: deliveryId })

export const AuditQuery = z.object({
  actor: optional(word),
  tenant: optional(tenantId),
  action: optional(AuditActionName),
  connection: optional(word),
  link: optional(word),
  requestId: optional(word),
  from: optional(day),
  to: optional(day),
  cursor: optional(z.string().regex(/^\d{1,15}$/, 'is not a valid page')),
})

export const MembersQuery = z.object({
  cursor: optional(z.string().regex(/^[\w.:-]{1,120}$/, 'is not a valid page')),
})

const reasonMissing = 'Give a reason in a few words.'

/** Why somebody acts: it is written to the audit log. */
export const Reason = z.string(reasonMissing).trim().min(3, reasonMissing).max(300, 'is longer than 300 characters')

/** Says all that is wrong with a form, and not only with the part of it that is read first. */
export function readParts<Parts extends Record<string, () => unknown>>(parts: Parts) {
  const issues: z.core.$ZodIssue[] = []
  const read = Object.entries(parts).map(([name, part]) => {
    try {
      return [name, part()]
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error
      issues.push(...error.issues)
      return [name, undefined]
    }
  })
  if (issues.length > 0) throw new z.ZodError(issues)
  return Object.fromEntries(read) as { [Name in keyof Parts]: ReturnType<Parts[Name]> }
}

/** What is typed again, so that nobody acts on the wrong thing. */
export const notConfirmed = (detail: string) =>
  new Failure('input_invalid', detail, { errors: [{ pointer: '/confirm', detail }] })

/** The form of an action that takes nothing but a reason. */
export const ReasonForm = z.strictObject({ reason: Reason })

export const SearchQuery = z.object({ q: text(200).default('') })

export type QueryParams = Record<string, string | undefined>

/** Links to the first and the next page of the same list. */
export const pagerLocals = (path: string, { cursor, ...params }: QueryParams, nextCursor: string | undefined) => ({
  isFirstPage: cursor === undefined,
  first: withQuery(path, params),
  next: nextCursor && withQuery(path, { ...params, cursor: nextCursor }),
})

function withQuery(path: string, params: QueryParams): string {
  const query = queryOf(params)
  return query === '' ? path : `${path}?${query}`
}

export const queryOf = (params: QueryParams): string =>
  new URLSearchParams(Object.entries(params).filter((pair): pair is [string, string] => !!pair[1])).toString()
