// The orders of the lists of connections and links: their names in the address, and the links in the table heads.

import type { ConnectionSort, LinkSort, Sorted } from '../../../../domain/ports/support-ledger.ts'

/** The first order of a column is the one that a click on its head begins with. */
const columns = {
  created: [
    { name: 'newest', label: 'Newest first', isAscending: false },
    { name: 'oldest', label: 'Oldest first', isAscending: true },
  ],
  changed: [
    { name: '-changed', label: 'Last changed first', isAscending: false },
    { name: 'changed', label: 'Longest unchanged first', isAscending: true },
  ],
  app: upAndDown('app', 'App'),
  person: upAndDown('person', 'Person'),
  tenant: upAndDown('tenant', 'Tenant'),
  state: upAndDown('state', 'Status'),
} as const

function upAndDown<Name extends string>(name: Name, label: string) {
  return [
    { name, label: `${label}, ascending`, isAscending: true },
    { name: `-${name}` as const, label: `${label}, descending`, isAscending: false },
  ] as const
}

const { changed: _, ...linkColumns } = columns

const labelsOf = <Name extends string>(table: Record<string, readonly { name: Name; label: string }[]>) =>
  Object.fromEntries(
    Object.values(table)
      .flat()
      .map(({ name, label }) => [name, label]),
  ) as Record<Name, string>

export const connectionOrders = labelsOf<(typeof columns)[ConnectionSort][number]['name']>(columns)
export const linkOrders = labelsOf<(typeof columns)[LinkSort][number]['name']>(linkColumns)

type OrderName = keyof typeof connectionOrders

/** Undefined is the default: newest first. */
export function orderOf<By extends ConnectionSort>(name: OrderName | undefined): Sorted<By>['order'] {
  for (const [by, orders] of Object.entries(columns)) {
    const order = orders.find((each) => each.name === name)
    if (order) return { by: by as By, isAscending: order.isAscending }
  }
  return undefined
}

/** `hrefOf` returns the list in that order. */
export function sortLocals(current: OrderName = 'newest', hrefOf: (order: string | undefined) => string) {
  const heads = Object.entries(columns).map(([by, [first, reverse]]) => {
    const active = [first, reverse].find(({ name }) => name === current)
    const next = active === first ? reverse : first
    const direction = active && (active.isAscending ? 'ascending' : 'descending')
    return [by, { direction, href: hrefOf(next.name === 'newest' ? undefined : next.name) }]
  })
  return {
    caption: connectionOrders[current].toLowerCase(),
    heads: Object.fromEntries(heads) as Record<ConnectionSort, { direction?: string; href: string }>,
  }
}
