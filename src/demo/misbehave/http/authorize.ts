import { createHash, createHmac } from 'node:crypto'
import { type Request, type RequestHandler, type Response, Router, urlencoded } from 'express'
import { escapeHtml } from '../../../kit/http/pages.ts'
import { appCondition, knownClient, redirectCondition } from '../domain/client-check.ts'
import { type Condition, errorAnswer, errorCode, errorWords } from '../domain/errors.ts'
import { type Client, type Instance, newToken } from '../domain/instance.ts'
import { appScopes, readScopes } from '../domain/scopes.ts'
import { accountWithEmail } from '../domain/token-answer.ts'
import { consentPage, page } from './consent-page.ts'
import { deliver, jsonAnswer } from './deliver.ts'
import { hostOf, instanceOf, type Parameters, queryOf, record } from './request.ts'

export const authorizeRoutes = (): Router =>
  Router()
    .get('/authorize', authorize)
    .get('/error', (_req, res) => void res.type('html').send(page('<h1>Something went wrong</h1>')))
    .post('/authorize', urlencoded({ extended: false }), consented)

const authorize: RequestHandler = (req, res) => {
  const instance = instanceOf(res)
  const query = queryOf(req)
  record(instance, 'authorize', req, query)
  if (instance.switches.authorize_manner !== 'good') {
    const page = { type: 'text/html; charset=utf-8', body: '<!doctype html><title>Sign in</title>' }
    return deliver(res, page, instance.switches.authorize_manner, instance.switches)
  }
  // A probe without a user learns nothing: every request gets this page.
  if (instance.switches.sign_in === 'before_checks' && query.signed_in !== 'yes') return signInPage(res, req)
  const condition = requestCondition(instance, query)
  if (condition) return refuse(res, query, condition)
  answerFor(instance.switches.consent)(res, query)
}

const consented: RequestHandler = (req, res) => {
  const query = queryOf(req)
  const condition = requestCondition(instanceOf(res), query)
  if (condition) return refuse(res, query, condition)
  if (req.body?.choice !== 'allow') return answerFor('denied')(res, query)
  const email = typeof req.body.email === 'string' ? req.body.email.trim() : ''
  grant(res, query, { choose: (scopes) => scopes, account: email ? accountWithEmail(email) : undefined })
}

function requestCondition(instance: Instance, query: Parameters): Condition | undefined {
  const id = query[instance.switches.client_id_parameter]
  const client = knownClient(instance, id)
  if (!client) return 'client_unknown'
  return (
    redirectCondition(instance, client, query.redirect_uri ?? '') ??
    appCondition(instance, id) ??
    policyCondition(instance) ??
    parameterCondition(instance, query)
  )
}

function policyCondition({ switches: { app, admin_approval } }: Instance): Condition | undefined {
  if (app === 'unverified') return 'app_unverified'
  if (app === 'internal') return 'app_internal'
  return admin_approval === 'needed' ? 'admin_approval_needed' : undefined
}

function parameterCondition({ switches }: Instance, query: Parameters): Condition | undefined {
  const { pkce, scopes } = switches
  const hasChallenge = query.code_challenge !== undefined
  if (pkce === 'refused' && hasChallenge) return 'request_invalid'
  if (pkce === 'required' && (!hasChallenge || query.code_challenge_method !== 'S256')) return 'request_invalid'
  if (query.response_type !== 'code') return 'response_type_unknown'
  if (scopes === 'on_app') return query.scope ? 'scope_invalid' : undefined
  return readScopes(query[scopes === 'user_scope' ? 'user_scope' : 'scope'], switches) ? undefined : 'scope_invalid'
}

/** RFC 6749 §4.1.2.1: errors of the client or the redirect URI are shown here; other errors go to the callback. */
const shownHere: ReadonlySet<Condition> = new Set([
  'client_unknown',
  'app_deleted',
  'app_suspended',
  'app_unverified',
  'app_internal',
  'redirect_uri_mismatch',
])

function refuse(res: Response, query: Parameters, condition: Condition): void {
  const instance = instanceOf(res)
  const { switches } = instance
  const error = errorCode(condition, switches)
  const [registered] = knownClient(instance, query[switches.client_id_parameter])?.redirectUris ?? []
  if (!shownHere.has(condition) && !isShownByPolicy(instance, condition)) redirectBack(res, query, { error })
  else if (condition === 'redirect_uri_mismatch' && switches.redirect_uri_error === 'callback' && registered)
    redirectBack(res, { ...query, redirect_uri: registered }, { error })
  else if (condition === 'redirect_uri_mismatch' && switches.redirect_uri_error === 'error_page')
    res.redirect(302, errorPage(instance, error, query.redirect_uri ?? ''))
  else showHere(res, condition)
}

/** As Atlassian words it. */
const errorPage = ({ url }: Instance, error: string, redirectUri: string): string =>
  `${url}/error?${new URLSearchParams({ error, error_description: `redirect_uri is not registered for client: ${redirectUri}` })}`

function showHere(res: Response, condition: Condition): void {
  const { switches } = instanceOf(res)
  const { status, body } = errorAnswer(condition, switches)
  const isPlain = condition === 'redirect_uri_mismatch' && switches.redirect_uri_error === 'plain_page'
  const words = isPlain
    ? '<h1>Bad Request</h1>'
    : `<h1>Access blocked</h1><p>${escapeHtml(errorWords(condition, switches))}</p>`
  if (switches.redirect_uri_error === 'json') deliver(res, jsonAnswer(status, body), 'good', switches)
  else res.status(status).type('html').send(page(words))
}

/** Google and Microsoft show these errors on a page; other providers return them to the callback. */
const isShownByPolicy = ({ switches: { errors } }: Instance, condition: Condition): boolean =>
  condition === 'admin_approval_needed' && (errors === 'google' || errors === 'microsoft')

function signInPage(res: Response, req: Request): void {
  const onward = escapeHtml(`${req.originalUrl}&signed_in=yes`)
  res.type('html').send(page(`<h1>Sign in</h1><p><a href="${onward}">Continue</a></p>`))
}

type UserAnswer = (res: Response, query: Parameters) => void

const answerFor = (consent: Instance['switches']['consent']): UserAnswer => userAnswers[consent]

const userAnswers: Record<Instance['switches']['consent'], UserAnswer> = {
  granted: (res, query) => grant(res, query, { choose: (scopes) => scopes }),
  partial: (res, query) => grant(res, query, { choose: (scopes) => scopes.slice(0, -1) }),
  denied: (res, query) =>
    redirectBack(res, query, { error: errorCode('consent_denied', instanceOf(res).switches), error_description: 'no' }),
  failed: (res, query) => redirectBack(res, query, { error: 'server_error' }),
  never_returns: (res) => void res.type('html').send(page('<h1>Loading…</h1>')),
  page: (res, query) => void res.type('html').send(consentPage(instanceOf(res), query)),
}

type Consent = { choose(scopes: string[]): string[]; account?: string | undefined }

function grant(res: Response, query: Parameters, { choose, account: chosen }: Consent): void {
  const instance = instanceOf(res)
  const { switches, codes, consented } = instance
  const client = query[switches.client_id_parameter] ?? ''
  const account = chosen ?? switches.account
  const code = newToken('code')
  const asked = switches.scopes === 'user_scope' ? query.user_scope : query.scope
  const scopes = switches.scopes === 'on_app' ? appScopes : (readScopes(asked, switches) ?? [])
  const isFirst = !consented.has(`${client} ${account}`)
  const place = `place-${createHash('sha256').update(account).digest('hex').slice(0, 12)}`
  codes.set(code, {
    client,
    account,
    host: hostOf(res),
    redirectUri: query.redirect_uri ?? '',
    scopes: choose(scopes),
    challenge: query.code_challenge,
    nonce: query.nonce,
    offline: isOffline(instance, query, { isFirst, scopes }),
    place,
  })
  consented.add(`${client} ${account}`)
  const { callback_member: member, code_parameter: name } = switches
  redirectBack(res, query, { [name]: code, ...(member !== undefined && { [member]: place }) })
}

function isOffline(
  { switches, appSetting }: Instance,
  query: Parameters,
  { isFirst, scopes }: { isFirst: boolean; scopes: string[] },
): boolean {
  const asked =
    query.access_type === 'offline' || query.token_access_type === 'offline' || scopes.includes('offline_access')
  const forced = /\bconsent\b/.test(query.prompt ?? '') || query.approval_prompt === 'force'
  return {
    always: true,
    asked,
    first_consent: asked && (isFirst || forced),
    app_setting: appSetting,
    approved: appSetting,
    never: false,
    empty: false,
    null: false,
    number: false,
  }[switches.refresh_token]
}

function redirectBack(res: Response, query: Parameters, answer: Record<string, string>): void {
  const { url, switches, clients } = instanceOf(res)
  const target = new URL(query.redirect_uri ?? '')
  const state = { returned: query.state, missing: undefined, wrong: 'another-state' }[switches.callback_state]
  const iss = { missing: undefined, named: url, wrong: 'https://elsewhere.example' }[switches.callback_iss]
  for (const [name, value] of Object.entries({ ...answer, state, iss })) {
    if (value !== undefined) target.searchParams.set(name, value)
  }
  sign(target, switches.callback_hmac, clients.get(query[switches.client_id_parameter] ?? ''))
  res.redirect(303, target.href)
}

/** Signs the other parameters, sorted by name. */
function sign({ searchParams }: URL, manner: Instance['switches']['callback_hmac'], client: Client | undefined): void {
  if (manner === 'none') return
  searchParams.sort()
  const secret = manner === 'wrong' ? 'another-secret' : (client?.secret ?? '')
  searchParams.set('hmac', createHmac('sha256', secret).update(searchParams.toString()).digest('hex'))
}
