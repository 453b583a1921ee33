// All end-user pages in all languages, rendered without stores and servers. Paths: /<language>/<name>, and
// /branded/<language>/<name> with full tenant branding.

import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Express, Request, Response } from 'express'
import { fileboxIntegrations } from '../../../src/demo/integrations-file.ts'
import { exactApp } from '../../../src/kit/http/exact-routing.ts'
import { servePages } from '../../../src/kit/http/pages.ts'
import { securityHeaders } from '../../../src/kit/http/security-headers.ts'
import { pseudoLocales } from '../../../src/kit/messages/pseudo-locale.ts'
import { readMessages } from '../../../src/kit/messages/read-messages.ts'
import type { Translator } from '../../../src/kit/messages/translator.ts'
import type { ManagedConnectionDetails } from '../../../src/onboarding/connections/flows/manage-connections.ts'
import {
  disconnectLocals,
  endedLocals,
  managedLocals,
  manageLocals,
} from '../../../src/onboarding/connections/http/locals/manage.ts'
import type { CatalogueItem } from '../../../src/onboarding/domain/catalogue/catalogue-item.ts'
import { type Cause, causeCodes } from '../../../src/onboarding/domain/cause.ts'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import { Failure, type FailureCode, type FailureDetails } from '../../../src/onboarding/domain/failure.ts'
import type { Integration } from '../../../src/onboarding/domain/integration.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import type { Ports } from '../../../src/onboarding/domain/ports/ports.ts'
import type { Tenant } from '../../../src/onboarding/domain/tenant.ts'
import { errorLocals } from '../../../src/onboarding/http/error-page.ts'
import { createLanguages, renderPage } from '../../../src/onboarding/http/languages.ts'
import { homeLocals } from '../../../src/onboarding/http/locals/home.ts'
import { shippedCatalogue } from '../../../src/onboarding/integrations/catalogue.ts'
import type { EndedSession } from '../../../src/onboarding/linking/flows/return-browser.ts'
import { connectLocals } from '../../../src/onboarding/linking/http/locals/connect.ts'
import { linkLocals } from '../../../src/onboarding/linking/http/locals/link.ts'
import { pickerLocals } from '../../../src/onboarding/linking/http/locals/picker.ts'
import { testProviderLocals } from '../../../src/onboarding/linking/http/locals/test-provider.ts'
import { ownedErrorLocals } from '../../../src/onboarding/linking/http/page-owners.ts'
import { accentPages } from '../../../src/onboarding/linking/http/pages/accents.ts'
import { redirectPages } from '../../../src/onboarding/linking/http/pages/redirect.ts'
import { logoPictures } from '../../../src/onboarding/tenants/adapters/logo-pictures.ts'
import { logoPages } from '../../../src/onboarding/tenants/http/logos.ts'
import { wordMark } from '../doubles/pictures.ts'
import {
  account,
  branding,
  broken,
  choice,
  integration,
  link,
  managed,
  manageSession,
  manyApps,
  offer,
  plain,
  requestId,
  scopes,
  session,
} from './gallery-fixtures.ts'

type Show = (res: Response, translator: Translator, tenant: Tenant) => void | Promise<void>

const connect =
  (status?: Connection['status']): Show =>
  (res, translator, tenant) =>
    renderPage(res, 'onboarding/connect', translator, {
      ...connectLocals(offer(tenant, status), translator),
    })

const connectWithInputs: Show = (res, translator, tenant) => {
  const input = (label: string, help: string) => ({
    label,
    help,
    example: 'acme',
    pattern: '[a-z]+',
    as: 'text' as const,
  })
  const inputs = {
    shop: input('Shop name', 'The part before .myshopify.com in the address of your store.'),
    subdomain: input('Okta subdomain', 'The part before .okta.com in your Okta address.'),
  }
  const errors = ['shop', 'subdomain'].map((name) => ({ pointer: `/inputs/${name}`, detail: '' }))
  const asked = { ...offer(tenant), integration: { ...integration, inputs } }
  const locals = connectLocals(asked, translator, { inputs: { subdomain: 'not one!' }, errors })
  renderPage(res, 'onboarding/connect', translator, locals)
}

const connectToServer: Show = (res, translator, tenant) => {
  const server = { ...integration, scopes: [], mcpUrl: 'https://mcp.provider.example/mcp' } as unknown as Integration
  const asked = { ...offer({ ...tenant, id: 'test_acme' }), integration: server }
  renderPage(res, 'onboarding/connect', translator, connectLocals(asked, translator))
}

const pick =
  (searched?: string, items?: CatalogueItem[]): Show =>
  (res, translator, tenant) => {
    const q = searched ?? String(res.req.query.q ?? '')
    const offered = choice(tenant)
    const locals = pickerLocals({ ...offered, items: items ?? offered.items }, { q, page: 1 }, translator)
    renderPage(res, 'onboarding/picker', translator, locals)
  }

const manage =
  (connections: ManagedConnectionDetails[], result?: 'disconnected' | 'disconnecting'): Show =>
  (res, translator, tenant) => {
    const page = { session: manageSession, tenant, connections }
    renderPage(res, 'onboarding/manage', translator, manageLocals(page, translator, result))
  }

const manageOne =
  (page: ManagedConnectionDetails, result?: 'linked' | 'pending' | 'account_mismatch'): Show =>
  (res, translator, tenant) =>
    renderPage(res, 'onboarding/manage/connection', translator, {
      ...managedLocals({ ...page, tenant }, translator, result),
    })

const manageDisconnect =
  (page: ManagedConnectionDetails): Show =>
  (res, translator, tenant) =>
    renderPage(res, 'onboarding/manage/disconnect', translator, {
      ...disconnectLocals({ ...page, tenant }, translator),
    })

const irrevocable = { ...integration, revocation: { style: 'none' } } as Integration

const manageEnded: Show = (res, translator, tenant) =>
  renderPage(res, 'onboarding/manage/ended', translator, {
    ...endedLocals({ session: manageSession, tenant }, translator),
  })

const showLink =
  (more: Partial<Link>, mayTryAgain = false): Show =>
  (res, translator, tenant) => {
    const followed = {
      link: link(more),
      tenant,
      integration,
      account,
      isFirst: link(more).kind !== 'relink',
      mayTryAgain,
    }
    renderPage(res, 'onboarding/link', translator, linkLocals(followed, translator))
  }

const showError =
  (code: FailureCode, variant?: FailureDetails['variant']): Show =>
  (res, translator, tenant) => {
    const failure = new Failure(code, '', variant && { variant })
    // Most error pages have no known tenant, so they have no branding.
    const owned = tenant === plain ? {} : ownedErrorLocals({ tenant, integration }, failure, translator)
    renderPage(res, 'onboarding/error', translator, { ...errorLocals(failure, requestId, translator), ...owned })
  }

const showEnded =
  (why: EndedSession['why']): Show =>
  (res, translator, tenant) => {
    const failure = new Failure('connect_ended', '')
    const owned = ownedErrorLocals({ tenant, integration, why, returnUrl: session.returnUrl }, failure, translator)
    renderPage(res, 'onboarding/error', translator, { ...errorLocals(failure, requestId, translator), ...owned })
  }

const redirect = (lead: string): Show => {
  const leave = redirectPages(lead)
  const url = 'https://accounts.provider.example/authorize?client_id=1'
  return (res, translator, tenant) => leave(res, { url, tenant }, translator)
}

const home: Show = (res, translator) => renderPage(res, 'onboarding/home', translator, homeLocals(true, translator))

const testProvider: Show = (res, translator) =>
  renderPage(res, 'onboarding/test-provider', translator, {
    ...testProviderLocals(integration, '?client_id=test-client', translator),
  })

export const unbrandedPages: readonly string[] = ['home', 'test-provider']

export const kindsOfPages: Record<string, Show> = {
  connect: connect(),
  'connect-again': connect('active'),
  'connect-broken': connect('needs_relink'),
  'connect-inputs': connectWithInputs,
  'connect-server': connectToServer,
  picker: pick(),
  'picker-full': pick(undefined, manyApps),
  'picker-empty': pick('nothing like it'),
  'connect-picked': (res, translator, tenant) =>
    renderPage(res, 'onboarding/connect', translator, {
      ...connectLocals({ ...offer(tenant), session: { ...session, choices: [] } }, translator),
    }),
  manage: manage(
    [managed({}), broken, managed({ healthUnknownSince: new Date(), account: undefined })],
    'disconnected',
  ),
  'manage-none': manage([]),
  'manage-connection': manageOne(managed({}), 'linked'),
  'manage-broken': manageOne({ ...broken, calls: undefined }, 'account_mismatch'),
  'manage-ending': manageOne({ ...managed({ grantEndsAt: new Date() }), mayRelink: false, calls: [] }, 'pending'),
  'manage-disconnect': manageDisconnect(managed({})),
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
    kind: 'relink',
  }),
  linked: showLink({ state: 'linked' }),
  'missing-permissions': showLink(
    { state: 'failed', cause: 'scope_missing', missingScopes: scopes.map(({ name }) => name) },
    true,
  ),
  denied: showLink({ state: 'denied', cause: 'consent_denied' }, true),
  cancelled: showLink({ state: 'cancelled', cause: 'user_cancelled' }, true),
  failed: showLink({ state: 'failed', cause: 'provider_unavailable' }),
  parked: showLink({ state: 'needs_attention', cause: 'function_failed' }),
  error: showError('connect_ended'),
  'error-known': showError('connection_limit'),
  'ended-connected': showEnded('connected'),
  'ended-expired': showEnded('expired'),
  home,
  'test-provider': testProvider,
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
  'manage-disconnecting': manage([managed({})], 'disconnecting'),
  'manage-disconnect-left': manageDisconnect({ ...managed({}), integration: irrevocable }),
  'waiting-further': showLink({ state: 'function_ready' }),
  'ended-elsewhere': showEnded('elsewhere'),
  'ended-used': showEnded('used'),
  'ended-cancelled': showEnded('cancelled'),
  'error-cookie_missing': showError('callback_foreign', 'cookie_missing'),
  'error-other_app': showError('callback_foreign', 'other_app'),
}

/** The connect page of an app of the catalogue, or of the demo. */
function showApp(res: Response, translator: Translator, shown: Partial<Integration> | undefined) {
  if (!shown) return void res.status(404).end()
  const asked = { ...offer(plain), integration: { ...integration, icon: undefined, ...shown } as Integration }
  renderPage(res, 'onboarding/connect', translator, connectLocals(asked, translator))
}

const demoApps = fileboxIntegrations({ url: 'https://filebox.example', clientId: '', clientSecret: '' }).integrations

/** By ID. */
export const apps = new Map<string, Partial<Integration>>([
  ...[...shippedCatalogue().values()].map((entry): [string, Partial<Integration>] => {
    const { displayName, icon, color } = entry.input()
    return [entry.id, { displayName, icon, color, about: entry.about() }]
  }),
  ...demoApps.map(({ id, displayName, icon }): [string, Partial<Integration>] => [id, { displayName, icon }]),
])

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
  app.use(
    logoPages({ tenants: { logoPng: async (digest: string) => pngs.get(digest) ?? Buffer.of() } } as unknown as Ports),
  )
  const show = (req: Request<{ locale: string; name: string }>, res: Response, tenant: Tenant) =>
    everyPage[req.params.name]?.(res, languages.forVisitor(req, req.params.locale), tenant)
  app.get('/apps/:id', (req, res) => showApp(res, languages.english, apps.get(req.params.id)))
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
