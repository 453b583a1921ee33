// Fixtures with edge cases: long names, an unreadable color, an app without descriptions.
import type { ManagedConnectionDetails } from '../../../src/onboarding/connections/flows/manage-connections.ts'
import type { Branding } from '../../../src/onboarding/domain/branding/branding.ts'
import { monogram } from '../../../src/onboarding/domain/catalogue/app-icon.ts'
import type { CatalogueItem } from '../../../src/onboarding/domain/catalogue/catalogue-item.ts'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import type { ManageSession } from '../../../src/onboarding/domain/end-users/manage-session.ts'
import type { HealthCheck } from '../../../src/onboarding/domain/health/health.ts'
import type { Integration } from '../../../src/onboarding/domain/integration.ts'
import { type Link, newLinkDefaults } from '../../../src/onboarding/domain/link.ts'
import type { Tenant } from '../../../src/onboarding/domain/tenant.ts'
import { shippedCatalogue } from '../../../src/onboarding/integrations/catalogue.ts'
import { catalogueItems } from '../../../src/onboarding/integrations/catalogue-items.ts'
import type { ConnectChoice, ConnectOffer } from '../../../src/onboarding/linking/flows/show-connect-page.ts'

export const requestId = 'req_06gxytkrc2v8t1n5m0q7d9hj4w'
const now = new Date()

export const plain = {
  ...{ id: 'acme', displayName: 'Northwind Traders', workspace: 'acme', branding: {}, logos: {} },
  ...{ returnUrls: ['https://app.northwind-traders.example/integrations/return'], maxConnectionsPerUser: 3 },
} as unknown as Tenant
export const branding: Branding = {
  accentColor: '#ffe600',
  supportUrl: 'https://northwind.example/help',
  privacyUrl: 'https://northwind.example/privacy',
  termsUrl: 'https://northwind.example/terms',
  wording: Object.fromEntries(
    Object.entries({
      en: 'We look for times that suit everybody, and enter what was agreed on. We never read what else is in it.',
      de: 'Wir suchen nach Terminen, die allen passen, und tragen ein, was vereinbart wurde. Sonst lesen wir nichts.',
      es: 'Buscamos horarios que convengan a todos y anotamos lo acordado. No leemos nada más.',
      fr: 'Nous cherchons des créneaux qui conviennent à tous et notons ce qui a été convenu. Nous ne lisons rien d’autre.',
      ja: '皆様に合う時間を探し、決まった予定を登録します。それ以外の内容を読むことはありません。',
      pt: 'Procuramos horários que sirvam a todos e anotamos o que foi combinado. Não lemos mais nada.',
      ar: `نبحث عن أوقات تناسب الجميع Northwind ${'م'.repeat(160)}`,
    }).map(([locale, intro]) => [locale, { intro, help: `${intro.slice(0, 60)} +1 555 0100` }]),
  ),
}
export const scopes = [
  { name: 'email', description: 'See your email address' },
  { name: 'mail.read', description: 'Read your mail' },
  { name: 'mail.send', description: 'Send mail in your name' },
  { name: 'https://provider.example/auth/everything.that.has.no.description' },
]
export const integration = {
  id: 'gmail',
  displayName: 'Google Calendar',
  icon: 'logos:google-calendar',
  scopes,
  optionalScopes: [],
  inputs: {},
} as unknown as Integration
export const account = { id: '1', label: 'some.body.with.a.long.name@northwind-traders.example' }
const endUser = { id: 'user-42', displayName: 'Ada Example', email: 'ada@northwind.example' }

export const session = {
  endUser,
  returnUrl: 'https://app.northwind-traders.example/integrations/return',
  allowOtherAccount: false,
  ifConnected: 'add',
  expiresAt: new Date(now.getTime() + 15 * 60_000),
} as ConnectOffer['session']

export const offer = (tenant: Tenant, status?: Connection['status']): ConnectOffer => ({
  session,
  tenant,
  integration,
  connection: status && ({ status, account } as Connection),
})

const item = (
  id: string,
  displayName: string,
  category: string,
  description = 'Read and post messages in channels and chats.',
) =>
  ({
    ...{ id, displayName, description, about: { category }, names: displayName, searchText: displayName },
    icon: id === 'gmail' ? { src: '/assets/logos/logos/google-gmail.svg' } : monogram(displayName),
    ...{ isConfigured: true, isLinkable: true },
  }) as CatalogueItem

export const choice = (tenant: Tenant): ConnectChoice => ({
  session: { ...session, choices: [] },
  tenant: { ...tenant, maxConnectionsPerUser: 2 },
  items: [
    item('gmail', 'Gmail', 'mail'),
    item('outlook', 'Outlook', 'mail', 'Search what Copilot can see in Microsoft 365.'),
    ...['Asana', 'Basecamp', 'ClickUp', 'Jira', 'Linear', 'Trello'].map((name) =>
      item(name.toLowerCase(), name, 'project-management'),
    ),
    item('own', 'Northwind’s own app with a name that is longer than most', 'other'),
  ],
  connections: [
    { integration: 'gmail', status: 'active', account },
    { integration: 'gmail', status: 'needs_relink', account },
    { integration: 'linear', status: 'active' },
  ] as Connection[],
})

export const link = (more: Partial<Link>): Link => ({
  ...newLinkDefaults,
  ...{ id: 'lnk_1', sessionId: 'ses_1', tenant: 'acme', workspace: 'acme', integration: 'gmail', endUser },
  ...{ returnUrl: undefined, kind: 'first', allowOtherAccount: false, completionChallenge: undefined, browser: '' },
  ifConnected: 'add',
  ...{ connectionId: 'con_1', connectionName: '', functionName: '', config: {}, createdAt: now, updatedAt: now },
  ...more,
})

export const manyApps = catalogueItems(shippedCatalogue(), new Map())

export const manageSession = { ...session, id: 'mng_1' } as unknown as ManageSession
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
export const managed = (more: Partial<Connection>): ManagedConnectionDetails => ({
  session: manageSession,
  tenant: plain,
  integration: {
    ...integration,
    revocation: { style: 'rfc7009', url: 'https://provider.example/revoke' },
  } as Integration,
  connection: {
    ...{ id: 'con_1', integration: 'gmail', account, status: 'active', createdAt: hoursAgo(400) },
    ...{ scopes: scopes.map(({ name }) => name), ...more },
  } as Connection,
  checks: [{ at: hoursAgo(3) } as HealthCheck],
  mayRelink: true,
  calls: [
    { at: hoursAgo(1), tool: 'list_calendar_events_of_all_calendars', succeeded: true, caller: 'Northwind Traders' },
    { at: hoursAgo(30), tool: 'create_event', succeeded: false, caller: 'Claude' },
  ],
})
export const broken = managed({ status: 'needs_relink', cause: 'grant_revoked' })
