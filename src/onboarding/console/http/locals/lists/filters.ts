// The filters of the lists: their options, the form, and the message for an invalid one in the address.

import { auditActionNames, auditActions } from '../../../../domain/audit/audit-actions.ts'
import type { CatalogueItem } from '../../../../domain/catalogue/catalogue-item.ts'
import { causeCodes } from '../../../../domain/cause.ts'
import { connectionStatuses } from '../../../../domain/connection.ts'
import { linkStates, linkStateTable } from '../../../../domain/link.ts'
import type { TenantMatch } from '../../../../domain/ports/support-ledger.ts'
import { deliveryStatuses } from '../../../../domain/webhooks/delivery.ts'
import { causeWords } from '../cause-words.ts'
import { connectionBadge, deliveryBadges, shown } from '../words.ts'
import { connectionOrders, linkOrders } from './sorting.ts'

export type Filter = Readonly<Record<string, string | undefined>>

const labelsOf = <Name extends string>(names: readonly Name[], label: (name: Name) => string) =>
  Object.fromEntries(names.map((name) => [name, label(name)])) as Record<Name, string>

export const filterOptions = {
  status: labelsOf(connectionStatuses, (status) => connectionBadge({ status }).label),
  state: labelsOf(linkStates, (state) => linkStateTable[state].label),
  deliveryStatus: labelsOf(deliveryStatuses, (status) => deliveryBadges[status].label),
  cause: labelsOf(causeCodes, (cause) => causeWords(cause).title),
  action: labelsOf(auditActionNames, (action) => auditActions[action].words),
  health: { unknown: 'Unknown', ending: 'Access ends soon' },
  retrying: { yes: 'Retrying automatically' },
  connectionOrder: connectionOrders,
  linkOrder: linkOrders,
} as const

const fieldLabels: Readonly<Record<string, string>> = {
  action: 'Action',
  actor: 'Actor',
  cause: 'Cause',
  connection: 'Connection',
  cursor: 'Page',
  days: 'Expires after',
  endUserId: 'End user',
  from: 'From',
  health: 'Health',
  id: 'End user',
  integration: 'App',
  link: 'Link',
  order: 'Order',
  q: 'Search',
  requestId: 'Request',
  retrying: 'Retries',
  state: 'Status',
  status: 'Status',
  tenant: 'Tenant',
  to: 'To',
}

const labelOf = (name: string): string =>
  Object.hasOwn(fieldLabels, name) ? (fieldLabels[name] ?? name) : shown(name, 40)

type Choice = { value: string; title: string }

type Field = { name: string; label: string; value: string | undefined } & (
  | { as: 'select'; options: readonly Choice[]; any?: string | undefined }
  | { as: 'text'; placeholder?: string; suggestions?: readonly Choice[] }
  | { as: 'date' }
)

type SelectField = Extract<Field, { as: 'select' }>

/** Sorted by name; long lists are easier to read that way. */
export const selectField = (
  name: string,
  value: string | undefined,
  options: Readonly<Record<string, string>>,
): SelectField => ({
  as: 'select',
  name,
  label: labelOf(name),
  value,
  options: Object.entries(options).map(([value, title]) => ({ value, title })),
})

/** In the form, so that a change of the filter keeps the order. */
export const orderField = (
  value: string | undefined,
  { newest, ...options }: Readonly<Record<'newest' | string, string>>,
): Field => ({ ...selectField('order', value, options), any: newest })

export const sorted = (options: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(options).sort(([, one], [, other]) => one.localeCompare(other, 'en')))

export const textField = (name: string, value: string | undefined, placeholder?: string): Field => ({
  as: 'text',
  name,
  label: labelOf(name),
  value,
  ...(placeholder && { placeholder }),
})

export const dateFields = ({ from, to }: Filter): Field[] => [
  { as: 'date', name: 'from', label: 'From (UTC)', value: from },
  { as: 'date', name: 'to', label: 'To (UTC)', value: to },
]

export type Suggested = { tenants: readonly Pick<TenantMatch, 'id' | 'displayName'>[]; integrations: readonly string[] }

export const tenantField = (value: string | undefined, { tenants }: Pick<Suggested, 'tenants'>): Field => ({
  ...textField('tenant', value, 'Name or ID'),
  as: 'text',
  suggestions: tenants.map(({ id, displayName }) => ({ value: id, title: shown(displayName, 80) })),
})

/** Names only apps that some connection or link has. */
export function appField(value: string | undefined, apps: AppChoices, { integrations }: Suggested): Field {
  const suggestions = integrations.map((id) => ({ value: apps.titleOf(id), title: '' }))
  return {
    ...textField('integration', value && apps.titleOf(value), 'Name'),
    as: 'text',
    suggestions: suggestions.sort((one, other) => one.value.localeCompare(other.value, 'en')),
  }
}

export type AppChoices = { titleOf(id: string): string; idOf(text: string): string }

/** People read and type display names; the ledger has IDs. */
export function appChoices(items: readonly CatalogueItem[]): AppChoices {
  const names = items.map(({ displayName }) => displayName.toLowerCase())
  const isShared = (name: string) => names.indexOf(name) !== names.lastIndexOf(name)
  const titles = new Map(
    items.map(({ id, displayName }) => [
      id,
      isShared(displayName.toLowerCase()) ? `${displayName} (${id})` : displayName,
    ]),
  )
  const ids = new Map([...titles].map(([id, title]) => [title.toLowerCase(), id]))
  return {
    titleOf: (id) => titles.get(id) ?? shown(id, 80),
    idOf: (text) => (titles.has(text) ? text : (ids.get(text.toLowerCase()) ?? text)),
  }
}

type FilterForm = { path: string; main: readonly Field[]; more?: readonly Field[]; order?: Field }

export const filterForm = ({ path, main, more = [], order }: FilterForm) => ({
  path,
  main,
  more,
  order,
  count: [...main, ...more].filter(({ value }) => value).length,
  isMoreOpen: more.some(({ value }) => value),
})

/** An unknown name would otherwise look as if it had filtered the list. */
export function ignoredWords(ignored: readonly string[]): string | undefined {
  if (ignored.length === 0) return undefined
  const names = ignored.map((name) => `“${shown(name, 40)}”`).join(', ')
  return ignored.length === 1
    ? `${names} in the address isn’t a filter of this list and was ignored.`
    : `${names} in the address aren’t filters of this list and were ignored.`
}

type WrongParameter = { name: string; detail: string }

/** `detail`: a predicate, such as "must be …". */
export function badFilterLocals(
  path: string,
  query: Readonly<Record<string, unknown>>,
  wrong: readonly WrongParameter[],
) {
  const others = Object.entries(query).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string' && !wrong.some(({ name }) => name === pair[0]),
  )
  const page = path.replace(/\.csv$/, '')
  return {
    title: 'Wrong filter',
    faults: wrong.map(({ name, detail }) => `${labelOf(name)} ${detail}${givenWords(query[name])}.`),
    href: others.length === 0 ? page : `${page}?${new URLSearchParams(others)}`,
  }
}

const givenWords = (given: unknown): string =>
  typeof given === 'string' && given !== '' && given.length <= 60 ? `, not “${shown(given, 60)}”` : ''
