import type { Translator } from '../../../../kit/messages/translator.ts'
import { type CatalogueItem, matchesWords } from '../../../domain/catalogue/catalogue-item.ts'
import type { Connection } from '../../../domain/connection.ts'
import { isFull } from '../../../domain/end-users/admission.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import type { ConnectChoice } from '../../flows/show-connect-page.ts'
import { brandLocals } from './brand.ts'
import { expiresSoon } from './connect.ts'

type PickerQuery = { q: string; page: number }

const pageSize = 60

const maxUnsearchedApps = 8

export function pickerLocals(choice: ConnectChoice, { q, page }: PickerQuery, translator: Translator) {
  const { session, tenant, items } = choice
  const { t } = translator
  const found = sorted(items, translator).filter((each) => matchesWords({ searchText: wordsOf(each, translator) }, q))
  const shown = found.slice((page - 1) * pageSize, page * pageSize)
  return {
    title: t('picker.title', { tenant: tenant.displayName }),
    tenant: tenant.displayName,
    testMode: isTestTenant(tenant.id),
    query: q,
    hasSearch: items.length > maxUnsearchedApps,
    count: found.length,
    groups: groupsOf(shown, choice, translator),
    more: found.length > page * pageSize ? `?${new URLSearchParams({ q, page: String(page + 1) })}` : undefined,
    ...brandLocals(tenant, translator),
    expires: expiresSoon(session, translator),
  }
}

type PickerItem = { item: CatalogueItem; category: string }

function sorted(items: readonly CatalogueItem[], { lang, t }: Translator): PickerItem[] {
  const byText = new Intl.Collator(lang).compare
  const codeOf = ({ about }: CatalogueItem) => about?.category ?? 'other'
  return items
    .map((item) => ({ item, code: codeOf(item), category: t(`category.${codeOf(item)}`) }))
    .sort(
      (a, b) =>
        Number(a.code === 'other') - Number(b.code === 'other') ||
        byText(a.category, b.category) ||
        byText(a.item.displayName, b.item.displayName),
    )
}

const wordsOf = ({ item, category }: PickerItem, translator: Translator): string =>
  `${item.searchText} ${category} ${descriptionOf(item, translator) ?? ''}`.toLowerCase()

function groupsOf(shown: readonly PickerItem[], choice: ConnectChoice, translator: Translator) {
  const groups = new Map<string, Array<ReturnType<typeof appOf>>>()
  for (const { item, category } of shown) {
    groups.set(category, [...(groups.get(category) ?? []), appOf(item, choice, translator)])
  }
  return [...groups].map(([category, apps]) => ({ category, apps }))
}

function appOf(item: CatalogueItem, { session, tenant, connections }: ConnectChoice, translator: Translator) {
  const own = connections.filter(({ integration }) => integration === item.id)
  const hasRoom = session.ifConnected === 'relink' || !isFull(tenant.maxConnectionsPerUser, own.length)
  return {
    name: item.displayName,
    icon: item.icon,
    description: descriptionOf(item, translator),
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
