import type { FailureCode } from '../../domain/failure.ts'
import { queryOf } from './pages/queries.ts'

/** Those whose filters can be saved. */
export const lists = ['connections', 'links', 'webhooks', 'audit'] as const

export type SentFields = Readonly<Record<string, unknown>>

/** `blamed`: the field that an error is about, if the error does not say it. */
export type FormPlace = { page: string; blamed?: Partial<Record<FailureCode, string>> }

/** `path`: where the form is sent to, below /support. */
export function placeOfForm(path: string, sent: SentFields): FormPlace | undefined {
  for (const [address, place] of places) {
    const found = address.exec(path)
    if (found) return place(found[1] ?? '', sent)
  }
  return undefined
}

const tenantFields = { workspace_taken: 'workspace', workspace_unknown: 'workspace', tenant_exists: 'id' } as const
const tenantAsked = { not_found: 'tenant', tenant_deleted: 'tenant' } as const

/** The first match wins. Most forms are on the page above their own path. */
const places: readonly [RegExp, (page: string, sent: SentFields) => FormPlace][] = [
  [/^\/tenants$/, () => ({ page: '/tenants/new', blamed: tenantFields })],
  [/^(\/tenants\/[^/]+)\/(?:branding|logos\/.+)$/, (tenant) => ({ page: `${tenant}/branding` })],
  [/^(\/(?:tenants|connections)\/[^/]+\/(?:mcp-clients\/[^/]+\/)?tool-policy)\/rollback$/, (page) => ({ page })],
  // Except the preview, which opens in another tab.
  [/^(\/tenants\/[^/]+)(?:\/(?!branding\/).+)?$/, (page) => ({ page, blamed: tenantFields })],
  [/^\/keys$/, () => ({ page: '/keys/new', blamed: tenantAsked })],
  [/^\/views(?:\/remove)?$/, (_, sent) => ({ page: viewedPage(sent), blamed: { input_invalid: 'name' } })],
  [/^\/erasures$/, () => ({ page: '/erasures', blamed: tenantAsked })],
  [
    /^\/campaigns$/,
    (_, sent) => ({ page: `/campaigns/new?${query(sent, ['cause', 'tenant', 'integration', 'days'])}` }),
  ],
  [
    /^\/links\/resume$/,
    (_, sent) => ({ page: `/links?state=needs_attention&${query(sent, ['cause', 'tenant', 'integration'])}` }),
  ],
  [/^(\/doctor\/[^/]+)\/examine$/, (page, sent) => ({ page: `${page}?${query(sent, ['tenant'])}` })],
  [/^(\/doctor\/[^/]+\/settings)\/rollback$/, (page) => ({ page })],
  [/^(\/connections\/[^/]+\/(?:mcp-clients|tools))\/.+$/, (page) => ({ page })],
  [/^(\/connections\/[^/]+)\/names$/, (page) => ({ page, blamed: { alias_taken: 'alias' } })],
  [/^(\/(?:connections|links|keys|campaigns)\/[^/]+)\/.+$/, (page) => ({ page })],
  [/^(\/webhooks\/[^/]+\/[^/]+)\/replay$/, (page) => ({ page })],
]

const viewedPage = ({ list, query }: SentFields): string =>
  `/${lists.find((each) => each === list) ?? 'connections'}?${new URLSearchParams(typeof query === 'string' ? query : '')}`

const query = (sent: SentFields, names: readonly string[]): string =>
  queryOf(Object.fromEntries(names.map((name) => [name, typeof sent[name] === 'string' ? sent[name] : undefined])))
