import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import { maxCounted, type TenantFigures } from '../../../domain/ports/support-ledger.ts'
import type { Tenant, TenantStatus } from '../../../domain/tenant.ts'
import { defaultEventNames, optInEvent, tenantEventNames } from '../../../domain/tenant-event.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import { maxWebhooks, type Webhook } from '../../../domain/webhooks/webhook.ts'
import { tenantIcon } from '../../../linking/http/locals/brand.ts'
import type { ListedClient } from '../../../tenants/flows/manage-oauth-clients.ts'
import { ago, doneWordsIn, eventWords, formatTime, shown } from './words.ts'

const badges: Record<TenantStatus, { status: string; label: string }> = {
  active: { status: 'linked', label: 'Active' },
  suspended: { status: 'failed', label: 'Suspended' },
  deleting: { status: 'pending', label: 'Being deleted' },
  deleted: { status: 'none', label: 'Deleted' },
}

export const tenantsLocals = (tenants: readonly Tenant[], now: Date) => ({
  title: 'Tenants',
  rows: tenants.map((tenant) => ({
    href: pageOf(tenant),
    icon: tenantIcon(tenant),
    name: shown(tenant.displayName, 80),
    id: tenant.id,
    workspace: tenant.workspace,
    badge: badges[tenant.status],
    since: ago(tenant.createdAt, now),
    at: formatTime(tenant.createdAt),
  })),
})

const pageOf = ({ id }: Pick<Tenant, 'id'>) => `/support/tenants/${encodeURIComponent(id)}`

const doneWords = {
  saved: 'The changes are saved.',
  suspended: 'The tenant is suspended. No new sessions or links can start; existing connections keep working.',
  reactivated: 'The tenant can create connect sessions again.',
  deleting: 'The tenant is being deleted. This continues in the background.',
  client_saved: 'The OAuth client is saved. Links that start from now on use it.',
  client_deleted: 'The OAuth client is deleted. Links use the client of this server, if one is configured.',
  webhook_disabled: 'The endpoint is disabled. Nothing is sent to it until it is enabled.',
  webhook_deleted: 'The endpoint is deleted and receives no more events.',
  webhook_enabled: 'The endpoint is enabled. Missed events can be sent again below.',
  webhook_replayed: 'Failed events are being sent again. Webhooks shows whether they arrive.',
} as const
export type TenantDone = keyof typeof doneWords

export const figureDays = 14

const counted = (count: number): string => (count < maxCounted ? String(count) : `${maxCounted} or more`)

/** A user who cancels or denies does not count as a failure. */
function figuresOf(tenant: string, { connections, broken, linked, failed }: TenantFigures) {
  const list = `/support/connections?tenant=${encodeURIComponent(tenant)}`
  const rate = linked + failed === 0 ? '–' : `${Math.round((100 * linked) / (linked + failed))}%`
  return [
    { label: 'Connections', value: counted(connections), href: list },
    { label: 'To reconnect', value: counted(broken), href: `${list}&status=needs_relink` },
    { label: `Success rate, ${figureDays} days`, value: rate, href: undefined },
  ]
}

type TenantPage = {
  figures: TenantFigures
  tenant: Tenant
  clients: readonly ListedClient[]
  webhooks: readonly Webhook[]
  /** The endpoints with events that were given up. */
  withFailed: ReadonlySet<string>
  integrations: readonly CatalogueItem[]
  done: unknown
  now: Date
}

export const tenantLocals = ({
  tenant,
  figures,
  clients,
  webhooks,
  withFailed,
  integrations,
  done,
  now,
}: TenantPage) => ({
  title: shown(tenant.displayName, 80),
  icon: tenantIcon(tenant),
  id: tenant.id,
  path: pageOf(tenant),
  badge: badges[tenant.status],
  figures: figuresOf(tenant.id, figures),
  isSuspended: tenant.status === 'suspended',
  isChangeable: tenant.status === 'active' || tenant.status === 'suspended',
  done: doneWordsIn(doneWords, done),
  facts: [
    ['ID', tenant.id],
    ['Workspace', tenant.workspace],
    ['Created', `${ago(tenant.createdAt, now)} ago`],
    ['Changed', `${ago(tenant.updatedAt, now)} ago`],
  ],
  fields: fieldsOf(tenant),
  clients: clients.map((client) => ({
    integration: client.integration,
    clientId: shown(client.clientId, 80),
    secret: client.hasSecret ? 'secret stored' : 'no secret',
    since: ago(client.updatedAt, now),
  })),
  webhooks: webhooks.map((webhook) => ({
    id: webhook.id,
    // The path may contain a secret.
    origin: new URL(webhook.url).origin,
    events: eventsOf(webhook),
    isDisabled: webhook.status === 'disabled',
    hasFailed: withFailed.has(webhook.id),
    rotated: rotatedWords(webhook, now),
    since: ago(webhook.createdAt, now),
  })),
  eventNames: tenantEventNames.map((name) => ({ name, words: eventWords[name], isDefault: name !== optInEvent })),
  mayAddWebhook: webhooks.length < maxWebhooks,
  integrations: choicesOf(integrations),
  connectable: choicesOf(integrations.filter((each) => hasClient(each, tenant, clients))),
})

const choicesOf = (integrations: readonly CatalogueItem[]) =>
  integrations.filter(({ isLinkable }) => isLinkable).map(({ id, displayName }) => ({ id, displayName }))

/** Without a client no user can link an account. */
const hasClient = ({ id, isConfigured }: CatalogueItem, tenant: Tenant, clients: readonly ListedClient[]): boolean =>
  isConfigured || isTestTenant(tenant.id) || clients.some(({ integration }) => integration === id)

function eventsOf({ events }: Webhook): string {
  const others = events.filter((event) => event !== optInEvent)
  const named = others.map((event) => eventWords[event])
  const words = others.length === defaultEventNames.length ? ['all events'] : named
  return [...words, ...(events.includes(optInEvent) ? [eventWords[optInEvent]] : [])].join(', ')
}

function rotatedWords({ previousSecretsExpireAt }: Webhook, now: Date): string | undefined {
  const last = previousSecretsExpireAt.at(-1)
  return last && last > now ? `previous secret accepted for another ${ago(now, last)}` : undefined
}

const fieldsOf = ({ displayName, workspace, returnUrls }: TenantFields) => ({
  displayName,
  workspace,
  returnUrls: returnUrls.join('\n'),
})

type TenantFields = Pick<Tenant, 'displayName' | 'workspace' | 'returnUrls'>

export const newTenantLocals = () => ({
  title: 'New tenant',
  fields: fieldsOf({ displayName: '', workspace: '', returnUrls: [] }),
})
