import type { Translator } from '../../../../kit/messages/translator.ts'
import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import { popularIds, type Searchable, searchItems } from '../../../domain/catalogue/catalogue-search.ts'
import type { Connection } from '../../../domain/connection.ts'
import { isFull } from '../../../domain/end-users/admission.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import type { ConnectChoice } from '../../flows/show-connect-page.ts'
import { brandLocals } from './brand.ts'
import { expiresSoon } from './connect.ts'

type PickerQuery = { q: string; page: number }

const pageSize = 30

const maxPopularApps = 12

/** More apps than this are small tiles with a search field. */
const maxDescribedApps = 8

export function pickerLocals(choice: ConnectChoice, { q, page }: PickerQuery, translator: Translator) {
  const { session, tenant, items } = choice
  const { t } = translator
  const { popular, others } = orderOf(choice, translator)
  const found = searchItems([...popular, ...others], q, (item) => textOf(item, translator))
  const shown = found.slice((page - 1) * pageSize, page * pageSize)
  const hasTitles = isLong(items) && popular.length > 0 && q === ''
  const pageHref = (to: number) => `?${new URLSearchParams({ q, page: String(to) })}`
  return {
    title: t('picker.title', { tenant: tenant.displayName }),
    tenant: tenant.displayName,
    testMode: isTestTenant(tenant.id),
    query: q,
    isLong: isLong(items),
    outcome: outcomeOf(q, found.length, t),
    groups: (hasTitles ? titledGroups(shown, popular, t) : [{ title: undefined, items: shown }])
      .filter((group) => group.items.length > 0)
      .map(({ title, items }) => ({ title, apps: items.map((item) => appOf(item, choice, translator)) })),
    back: page > 1 ? pageHref(page - 1) : undefined,
    more: found.length > page * pageSize ? pageHref(page + 1) : undefined,
    ...brandLocals(tenant, translator),
    expires: expiresSoon(session, translator),
  }
}

const isLong = (items: readonly CatalogueItem[]) => items.length > maxDescribedApps

type Ordered = { popular: CatalogueItem[]; others: CatalogueItem[] }

/** The tenant's order if the session names the apps, otherwise popular apps and then A to Z. */
function orderOf({ session, items }: ConnectChoice, { lang }: Translator): Ordered {
  const { choices = [] } = session
  const byId = new Map(items.map((item) => [item.id, item]))
  const pick = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? [])
  if (choices.length > 0) return { popular: [], others: pick(choices) }
  const popular = pick(popularIds).slice(0, maxPopularApps)
  const byName = new Intl.Collator(lang).compare
  const others = items
    .filter((item) => !popular.includes(item))
    .sort((one, other) => byName(one.displayName, other.displayName))
  return { popular, others }
}

function textOf(item: CatalogueItem, translator: Translator): Searchable {
  const category = translator.t(`category.${item.about?.category ?? 'other'}`)
  return {
    names: item.names,
    searchText: `${item.searchText} ${category} ${descriptionOf(item, translator) ?? ''}`,
  }
}

function outcomeOf(q: string, count: number, t: Translator['t']): string {
  if (count === 0) return t('picker.none')
  return q === '' ? '' : t('picker.count', { count })
}

function titledGroups(shown: readonly CatalogueItem[], popular: readonly CatalogueItem[], t: Translator['t']) {
  const isPopular = (item: CatalogueItem) => popular.includes(item)
  return [
    { title: t('picker.popular'), items: shown.filter(isPopular) },
    { title: t('picker.others'), items: shown.filter((item) => !isPopular(item)) },
  ]
}

function appOf(item: CatalogueItem, { session, tenant, items, connections }: ConnectChoice, translator: Translator) {
  const own = connections.filter(({ integration }) => integration === item.id)
  const hasRoom = session.ifConnected === 'relink' || !isFull(tenant.maxConnectionsPerUser, own.length)
  return {
    name: item.displayName,
    icon: item.icon,
    description: isLong(items) ? undefined : descriptionOf(item, translator),
    connected: own.map((connection) => connectedWords(connection, translator)),
    href: hasRoom ? `?${new URLSearchParams({ app: item.id })}` : undefined,
  }
}

/** Undefined if there is no translation: English text would not help. */
function descriptionOf({ description }: CatalogueItem, { phrase }: Translator): string | undefined {
  const { text, lang } = phrase(description)
  return lang === undefined ? text : undefined
}

function connectedWords({ status, account }: Connection, { t }: Translator) {
  if (status === 'needs_relink') {
    const text = account ? t('picker.broken', { account: account.label }) : t('picker.brokenUnknown')
    return { kind: 'broken', text }
  }
  return {
    kind: 'working',
    text: account ? t('picker.connectedAs', { account: account.label }) : t('picker.connected'),
  }
}
