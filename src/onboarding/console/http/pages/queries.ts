// What the lists of the console can be asked for. An empty field of a form means "any".
import { z } from 'zod'
import { causeCodes } from '../../../domain/cause.ts'
import { connectionStatuses } from '../../../domain/connection.ts'
import { linkStates } from '../../../domain/link.ts'
import { tenantIdPattern } from '../../../domain/tenant.ts'
import { deliveryStatuses } from '../../../domain/webhook.ts'
import { AuditActionName } from '../audit-action-name.ts'

export const optional = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

/** One of those that a form offers: an address that was kept, or typed, may name another. */
export const choice = <const Name extends string>(names: readonly [Name, ...Name[]]) =>
  z.enum(names, 'is not one of the options')

export const text = (most: number) => z.string('must be a single text').max(most, `is longer than ${most} characters`)

const word = text(200).trim()
const id = z.string().regex(/^[a-z]{2,4}_[0-9a-z]{1,60}$/, 'is not a valid ID')
const day = z.iso.date('must be a date such as 2026-01-31')

export const ConnectionsQuery = z.object({
  tenant: optional(word),
  integration: optional(word),
  status: optional(choice(connectionStatuses)),
  cause: optional(choice(causeCodes)),
  cursor: optional(id),
})

export const LinksQuery = z.object({
  tenant: optional(word),
  state: optional(choice(linkStates)),
  cause: optional(choice(causeCodes)),
  triedAgain: optional(z.literal('yes')),
  cursor: optional(id),
})

// Made of the ids of an event and a webhook.
const deliveryId = z.string().regex(/^[\w.-]{1,120}$/, 'is not a valid ID')

export const DeliveriesQuery = z.object({
  tenant: optional(word),
  status: optional(choice(deliveryStatuses)),
  cursor: optional(deliveryId),
})

export const DeliveryAt = z.object({ tenant: z.string().regex(tenantIdPattern), id: deliveryId })

export const AuditQuery = z.object({
  actor: optional(word),
  tenant: optional(word),
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

const why = 'Give a reason in a few words.'

/** Why somebody does something: for the record, and for the colleague who asks later. */
export const Reason = z.string(why).trim().min(3, why).max(300, 'is longer than 300 characters')

/** What a deed is asked for with that takes nothing else. */
export const Plain = z.strictObject({ reason: Reason })

export const SearchQuery = z.object({ q: text(200).default('') })

export type AsAsked = Record<string, string | undefined>

/** Where the same list begins, and where it goes on. */
export const pagerLocals = (path: string, { cursor, ...asked }: AsAsked, nextCursor: string | undefined) => ({
  isFirstPage: cursor === undefined,
  first: withQuery(path, asked),
  next: nextCursor && withQuery(path, { ...asked, cursor: nextCursor }),
})

function withQuery(path: string, asked: AsAsked): string {
  const query = queryOf(asked)
  return query === '' ? path : `${path}?${query}`
}

export const queryOf = (asked: AsAsked): string =>
  new URLSearchParams(Object.entries(asked).filter((pair): pair is [string, string] => !!pair[1])).toString()
