// Every page that an end user can meet, in every language, as the program renders it: without the stores and servers that
// would have to fail for it. The address is /<language>/<name>, and /branded/<language>/<name> where the tenant has given
// its pages everything it can.

import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Express, Request, Response } from 'express'
import { exactApp } from '../../../src/kit/http/exact-routing.ts'
import { servePages } from '../../../src/kit/http/pages.ts'
import { securityHeaders } from '../../../src/kit/http/security-headers.ts'
import { pseudoLocales } from '../../../src/kit/messages/pseudo-locale.ts'
import { readMessages } from '../../../src/kit/messages/read-messages.ts'
import type { Translator } from '../../../src/kit/messages/translator.ts'
import type { ManagedConnectionDetails } from '../../../src/onboarding/connections/flows/manage-connections.ts'
import { managedLocals, manageLocals } from '../../../src/onboarding/connections/http/locals/manage.ts'
import { disconnectLocals, endedLocals } from '../../../src/onboarding/connections/http/locals/manage-disconnect.ts'
import type { Branding } from '../../../src/onboarding/domain/branding/branding.ts'
import type { CatalogueItem } from '../../../src/onboarding/domain/catalogue/catalogue-item.ts'
import { type Cause, causeCodes } from '../../../src/onboarding/domain/cause.ts'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import type { ManageSession } from '../../../src/onboarding/domain/end-users/manage-session.ts'
import { Failure, type FailureCode, type FailureVariant } from '../../../src/onboarding/domain/failure.ts'
import type { HealthCheck } from '../../../src/onboarding/domain/health/health.ts'
import type { Integration } from '../../../src/onboarding/domain/integration.ts'
import { type Link, newLinkDefaults } from '../../../src/onboarding/domain/link.ts'
import type { Tenant } from '../../../src/onboarding/domain/tenant.ts'
import { createLanguages, renderPage } from '../../../src/onboarding/http/languages.ts'
import { errorLocals } from '../../../src/onboarding/http/locals/error.ts'
import type { ConnectChoice, ConnectOffer } from '../../../src/onboarding/linking/flows/show-connect-page.ts'
import { brandLocals } from '../../../src/onboarding/linking/http/locals/brand.ts'
import { connectLocals } from '../../../src/onboarding/linking/http/locals/connect.ts'
import { linkLocals } from '../../../src/onboarding/linking/http/locals/link.ts'
import { pickerLocals } from '../../../src/onboarding/linking/http/locals/picker.ts'
import { accentPages } from '../../../src/onboarding/linking/http/pages/accents.ts'
import { redirectPages } from '../../../src/onboarding/linking/http/pages/redirect.ts'
import { logoPictures } from '../../../src/onboarding/tenants/adapters/logo-pictures.ts'
import { logoPages } from '../../../src/onboarding/tenants/http/pages/logos.ts'
import { wordMark } from '../doubles/pictures.ts'

const requestId = 'req_06gxytkrc2v8t1n5m0q7d9hj4w'
const now = new Date()

const plain = {
  ...{ id: 'acme', displayName: 'Northwind Traders', workspace: 'acme', branding: {}, logos: {} },
} as unknown as Tenant
/** A color that cannot be read on white. */
const branding: Branding = {
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
      // As wide as a line of two hundred letters without a break can be.
      ar: `نبحث عن أوقات تناسب الجميع Northwind ${'م'.repeat(160)}`,
    }).map(([locale, intro]) => [locale, { intro, help: `${intro.slice(0, 60)} +1 555 0100` }]),
  ),
}
const scopes = [
  { name: 'email', description: 'See your email address' },
  { name: 'mail.read', description: 'Read your mail' },
  { name: 'https://provider.example/auth/everything.that.has.no.description' },
]
const integration = { id: 'gmail', displayName: 'Google Calendar', scopes, inputs: {} } as unknown as Integration
const account = { id: '1', label: 'some.body.with.a.long.name@northwind-traders.example' }
const endUser = { id: 'user-42', displayName: 'Ada Example', email: 'ada@northwind.example' }

const session = {
  endUser,
  returnUrl: 'https://app.northwind-traders.example/integrations/return',
  allowOtherAccount: false,
  ifConnected: 'add',
  expiresAt: new Date(now.getTime() + 15 * 60_000),
} as ConnectOffer['session']

const offer = (tenant: Tenant, status?: Connection['status']): ConnectOffer => ({
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
    ...{ id, displayName, description, about: { category }, searchText: displayName.toLowerCase() },
    ...{ icon: id === 'gmail' ? 'M2 4h20v16H2z' : undefined, isConfigured: true, isLinkable: true },
  }) as CatalogueItem

const choice = (tenant: Tenant): ConnectChoice => ({
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

const link = (more: Partial<Link>): Link => ({
  ...newLinkDefaults,
  ...{ id: 'lnk_1', sessionId: 'ses_1', tenant: 'acme', workspace: 'acme', integration: 'gmail', endUser },
  ...{ returnUrl: undefined, relink: false, allowOtherAccount: false, completionChallenge: undefined, browser: '' },
  ifConnected: 'add',
  ...{ connectionId: 'con_1', connectionName: '', functionName: '', config: {}, createdAt: now, updatedAt: now },
  ...more,
})

type Show = (res: Response, translator: Translator, tenant: Tenant) => void | Promise<void>

const connect =
  (status?: Connection['status']): Show =>
  (res, translator, tenant) =>
    renderPage(res, 'onboarding/connect', translator, {
      ...connectLocals(offer(tenant, status), translator),
      requestId,
    })

const pick =
  (q = '', more: CatalogueItem[] = []): Show =>
  (res, translator, tenant) => {
    const { items, ...offered } = choice(tenant)
    const locals = pickerLocals({ ...offered, items: [...items, ...more] }, { q, page: 1 }, translator)
    renderPage(res, 'onboarding/picker', translator, { ...locals, requestId })
  }

/** More than a page of them shows. */
const manyApps = Array.from({ length: 60 }, (_, at) => item(`app-${at}`, `App number ${at}`, 'project-management'))

const manageSession = { ...session, id: 'mng_1' } as unknown as ManageSession
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
const managed = (more: Partial<Connection>): ManagedConnectionDetails => ({
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
const broken = managed({ status: 'needs_relink', cause: 'grant_revoked' })

const manage =
  (connections: ManagedConnectionDetails[], result?: 'disconnected'): Show =>
  (res, translator, tenant) => {
    const page = { session: manageSession, tenant, connections }
    renderPage(res, 'onboarding/manage', translator, { ...manageLocals(page, translator, result), requestId })
  }

const manageOne =
  (page: ManagedConnectionDetails, result?: 'linked' | 'account_mismatch'): Show =>
  (res, translator, tenant) =>
    renderPage(res, 'onboarding/manage/connection', translator, {
      ...managedLocals({ ...page, tenant }, translator, result),
      requestId,
    })

const manageDisconnect: Show = (res, translator, tenant) =>
  renderPage(res, 'onboarding/manage/disconnect', translator, {
    ...disconnectLocals({ ...managed({}), tenant }, translator),
    requestId,
  })

const manageEnded: Show = (res, translator, tenant) =>
  renderPage(res, 'onboarding/manage/ended', translator, {
    ...endedLocals({ session: manageSession, tenant }, translator),
    requestId,
  })

const showLink =
  (more: Partial<Link>, mayTryAgain = false): Show =>
  (res, translator, tenant) => {
    const followed = { link: link(more), tenant, integration, account, mayTryAgain }
    renderPage(res, 'onboarding/link', translator, { ...linkLocals(followed, translator), requestId })
  }

const showError =
  (code: FailureCode, variant?: FailureVariant): Show =>
  (res, translator, tenant) => {
    const failure = new Failure(code, '', variant && { variant })
    // One without branding stands for a tenant that is not known, which is how most errors are.
    const brand = tenant === plain ? {} : brandLocals(tenant, translator)
    renderPage(res, 'onboarding/error', translator, { ...errorLocals(failure, requestId, translator), ...brand })
  }

const redirect = (lead: string): Show => {
  const leave = redirectPages(lead)
  const url = 'https://accounts.provider.example/authorize?client_id=1'
  return (res, translator, tenant) => leave(res, { url, tenant }, translator)
}

/** One of each kind of page. */
export const kindsOfPages: Record<string, Show> = {
  connect: connect(),
  'connect-again': connect('active'),
  'connect-broken': connect('needs_relink'),
  picker: pick(),
  'picker-full': pick('', manyApps),
  'picker-empty': pick('nothing like it'),
  'connect-picked': (res, translator, tenant) =>
    renderPage(res, 'onboarding/connect', translator, {
      ...connectLocals({ ...offer(tenant), session: { ...session, choices: [] } }, translator),
      requestId,
    }),
  manage: manage([managed({}), broken, managed({ healthUnknownSince: now, account: undefined })], 'disconnected'),
  'manage-none': manage([]),
  'manage-connection': manageOne(managed({}), 'linked'),
  'manage-broken': manageOne({ ...broken, calls: undefined }, 'account_mismatch'),
  'manage-disconnect': manageDisconnect,
  'manage-ended': manageEnded,
  redirect: redirect('redirect.lead'),
  'redirect-back': redirect('redirect.backLead'),
  waiting: showLink({ state: 'connection_ready', cause: 'platform_unavailable' }),
  'consent-again': showLink({ state: 'authorizing', forcedConsent: true }),
  'other-account': showLink({
    state: 'authorizing',
    forcedConsent: true,
    cause: 'account_mismatch',
    account,
    relink: true,
  }),
  linked: showLink({ state: 'linked' }),
  'missing-permissions': showLink(
    { state: 'failed', cause: 'scope_missing', missingScopes: scopes.map(({ name }) => name) },
    true,
  ),
  error: showError('connect_ended'),
}

const ofCauses = causeCodes.map((cause: Cause) => [`cause-${cause}`, showLink({ state: 'failed', cause })] as const)

const codes: FailureCode[] = [
  ...(['callback_unknown', 'callback_malformed', 'callback_foreign', 'origin_foreign', 'not_found'] as const),
  ...([
    'integration_unavailable',
    'connection_limit',
    'provider_unavailable',
    'rate_limited',
    'store_unavailable',
  ] as const),
  ...(['body_unreadable', 'method_not_allowed', 'unexpected'] as const),
]

export const everyPage: Record<string, Show> = {
  ...kindsOfPages,
  ...Object.fromEntries(ofCauses),
  ...Object.fromEntries(codes.map((code) => [`error-${code}`, showError(code)])),
  'waiting-further': showLink({ state: 'function_ready' }),
  'error-cookie_missing': showError('callback_foreign', 'cookie_missing'),
  'error-other_app': showError('callback_foreign', 'other_app'),
}

async function brandedTenant() {
  const pngs = new Map<string, Buffer>()
  const logoOf = async (color: string) => {
    const drawn = await logoPictures().redraw(await wordMark(color))
    if (!drawn) throw new Error('a logo of our own is readable')
    const digest = createHash('sha256').update(drawn.png).digest('hex')
    pngs.set(digest, drawn.png)
    return { digest, width: drawn.width, height: drawn.height }
  }
  const logos = { light: await logoOf('#3b3b98'), dark: await logoOf('#ffe600') }
  return { tenant: { ...plain, branding, logos }, pngs }
}

export async function startPageGallery() {
  const files = readMessages()
  const languages = createLanguages(files)
  const { tenant: branded, pngs } = await brandedTenant()
  const app: Express = exactApp([])
  app.use(securityHeaders({ https: false }))
  servePages(app)
  app.use(accentPages())
  app.use(logoPages({ readLogo: async (digest) => pngs.get(digest) ?? Buffer.of() }))
  const show = (req: Request<{ locale: string; name: string }>, res: Response, tenant: Tenant) =>
    everyPage[req.params.name]?.(res, languages.forVisitor(req, req.params.locale), tenant)
  app.get('/branded/:locale/:name', (req, res) => show(req, res, branded))
  app.get('/:locale/:name', (req, res) => show(req, res, plain))
  const server = app.listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    locales: [...Object.keys(files), ...Object.keys(pseudoLocales)],
    close: () => new Promise((closed) => server.close(closed)),
  }
}
