// An empty field means "any".
import { z } from 'zod'
import { Failure } from '../../../domain/failure.ts'
import { tenantIdPattern } from '../../../domain/tenant.ts'
import { filterOptions } from '../locals/lists/filters.ts'

export const optional = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

/** A bookmarked URL may contain another value. */
export const choice = <const Name extends string>(names: readonly [Name, ...Name[]]) =>
  z.enum(names, 'is not one of the options')

/** Accepts the value, or its label as a person would type it. */
const labelled = <const Name extends string>(labels: Readonly<Record<Name, string>>) => {
  const names = Object.keys(labels) as [Name, ...Name[]]
  const plain = (label: string) =>
    label
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' ')
      .trim()
  const find = (given: unknown) =>
    typeof given === 'string' && !names.includes(given as Name)
      ? (names.find((name) => plain(labels[name]) === plain(given)) ?? given)
      : given
  const words =
    names.length > 20
      ? 'one of the list'
      : new Intl.ListFormat('en', { type: 'disjunction' }).format(Object.values(labels))
  return z.preprocess(find, z.enum(names, `must be ${words}`))
}

export const text = (max: number) => z.string('must be a single text').max(max, `must have at most ${max} characters`)

const word = text(200).trim()
/** The ledger stores tenant IDs in lowercase. */
const tenantId = word.toLowerCase()
/** An ID, and after a tilde the value that the list is sorted by. */
const rowCursor = z.string().regex(/^[a-z]{2,4}_[0-9a-z]{1,60}(~[^\0]{0,200})?$/, 'is not a valid page')
const day = z.iso.date('must be a date such as 2026-01-31')

export const ConnectionsQuery = z.object({
  tenant: optional(tenantId),
  integration: optional(word),
  status: optional(labelled(filterOptions.status)),
  cause: optional(labelled(filterOptions.cause)),
  health: optional(labelled(filterOptions.health)),
  from: optional(day),
  to: optional(day),
  order: optional(labelled(filterOptions.connectionOrder)),
  cursor: optional(rowCursor),
})

export const LinksQuery = z.object({
  tenant: optional(tenantId),
  integration: optional(word),
  state: optional(labelled(filterOptions.state)),
  cause: optional(labelled(filterOptions.cause)),
  retrying: optional(labelled(filterOptions.retrying)),
  from: optional(day),
  to: optional(day),
  order: optional(labelled(filterOptions.linkOrder)),
  cursor: optional(rowCursor),
})

// Consists of the IDs of an event and a webhook.
const deliveryId = z.string().regex(/^[\w.-]{1,120}$/, 'is not a valid ID')

export const DeliveriesQuery = z.object({
  tenant: optional(tenantId),
  status: optional(labelled(filterOptions.deliveryStatus)),
  cursor: optional(deliveryId),
})

/** Includes the last day. */
export const spanOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => ({
  from: from ? new Date(from) : undefined,
  to: to ? new Date(new Date(to).getTime() + 86_400_000) : undefined,
})

export const DeliveryAt = z.object({ tenant: z.string().regex(tenantIdPattern), id: deliveryId })

export const AuditQuery = z.object({
  actor: optional(word),
  tenant: optional(tenantId),
  action: optional(labelled(filterOptions.action)),
  connection: optional(word),
  link: optional(word),
  requestId: optional(word),
  from: optional(day),
  to: optional(day),
  cursor: optional(z.string().regex(/^\d{1,16}$/, 'is not a valid page')),
})

export const MembersQuery = z.object({
  cursor: optional(z.string().regex(/^[\w.:-]{1,120}$/, 'is not a valid page')),
})

const reasonMissing = 'Give a reason in a few words.'

export const Reason = z.string(reasonMissing).trim().min(3, reasonMissing).max(300, 'must have at most 300 characters')

/** Reports the errors of all parts, not only of the first. */
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

export const notConfirmed = (detail: string) =>
  new Failure('input_invalid', detail, { errors: [{ pointer: '/confirm', detail }] })

export const ReasonForm = z.strictObject({ reason: Reason })

/** `suggest`: the page shows the results below the field, so nothing is redirected. */
export const SearchQuery = z.object({ q: text(200).default(''), suggest: optional(z.literal('yes')) })

/** The API's name of the state of a link. */
export const withStateNamed = ({ status, ...query }: Record<string, unknown>) => ({
  ...query,
  ...(status !== undefined && { state: query.state ?? status }),
})

export function readFilter<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, query: object) {
  const names = Object.keys(schema.shape)
  return {
    read: schema.parse(query),
    ignored: Object.keys(query).filter((name) => !names.includes(name) && name !== 'done'),
  }
}

/** In the query, because a path can't contain every ID. */
export const PersonQuery = z.object({ id: text(200) })

type QueryParams = Record<string, string | undefined>

export const pagerLocals = (path: string, { cursor, ...params }: QueryParams, nextCursor: string | undefined) => ({
  isFirstPage: cursor === undefined,
  first: withQuery(path, params),
  next: nextCursor && withQuery(path, { ...params, cursor: nextCursor }),
})

export function withQuery(path: string, params: QueryParams): string {
  const query = queryOf(params)
  return query === '' ? path : `${path}?${query}`
}

export const queryOf = (params: QueryParams): string =>
  new URLSearchParams(Object.entries(params).filter((pair): pair is [string, string] => !!pair[1])).toString()
