import { categories, tiers } from '../../../domain/catalogue/catalogue-item.ts'
import type { Page } from '../../../domain/ports/shared.ts'
import type { ShownItem } from '../../flows/browse-catalogue.ts'

type Filter = Partial<Record<'q' | 'category' | 'tier' | 'cursor', string | undefined>>

const tierWords: Record<(typeof tiers)[number], { title: string; meaning: string; status: string }> = {
  verified: {
    title: 'Verified',
    meaning: 'Checked against the vendor’s documentation within the last year. Unconfirmed details are marked.',
    status: 'linked',
  },
  corroborated: {
    title: 'Corroborated',
    meaning: 'Two independent sources agree on where to sign in and where tokens come from.',
    status: 'pending',
  },
  listed: {
    title: 'Listed',
    meaning: 'One source. Works only after the operator has tested and enabled it.',
    status: 'needs_attention',
  },
  discovered: { title: 'Discovered', meaning: 'The vendor’s server describes itself.', status: 'pending' },
}

const categoryNames: Partial<Record<string, string>> = { crm: 'CRM', hr: 'HR', mail: 'Email' }

const categoryName = (category: string) => categoryNames[category] ?? sentence(category.replaceAll('-', ' '))

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export function catalogueLocals({ data, nextCursor, count }: Page<ShownItem> & { count: number }, filter: Filter) {
  const address = (cursor: string | undefined) => {
    const fields = Object.entries({ ...filter, cursor }).filter((field): field is [string, string] => Boolean(field[1]))
    return `/catalogue?${new URLSearchParams(fields)}`
  }
  return {
    title: 'Integrations',
    count: count === 1 ? '1 app' : `${count} apps`,
    order: filter.q ? 'Best match first' : 'Popular apps first, then from A to Z',
    filter,
    categories: categories.map((code) => ({ code, title: categoryName(code) })),
    tiers: legend.map(({ code, title }) => ({ code, title })),
    legend,
    cards: data.map(cardOf),
    isFirstPage: filter.cursor === undefined,
    first: address(undefined),
    next: nextCursor && address(nextCursor),
  }
}

/** No catalogue file has this tier; it is for servers that describe themselves. */
const legend = tiers.filter((code) => code !== 'discovered').map((code) => ({ code, ...tierWords[code] }))

export const cardOf = ({ item, tier }: ShownItem) => ({
  href: `/catalogue/${item.id}`,
  name: item.displayName,
  description: item.description,
  icon: item.icon,
  vendor: vendorOf(item),
  category: item.about ? categoryName(item.about.category) : 'Added by this server',
  badge: tierBadge(tier),
  asOf: item.about?.asOf,
})

const vendorOf = ({ displayName, about }: ShownItem['item']) =>
  about && about.displayName !== displayName ? about.displayName : undefined

export const tierBadge = (tier: string | undefined) => (tier ? tierWords[tier as keyof typeof tierWords] : undefined)
