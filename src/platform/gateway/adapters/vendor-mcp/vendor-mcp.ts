// Keeps one login per client session, and one for all clients without a session.
import { LOG_LEVEL_META_KEY, type RequestOptions } from '@modelcontextprotocol/client'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { guardedDispatchers } from '../../../../kit/fetch/guarded-fetch.ts'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { hideInJson, secretHider } from '../../../shared/domain/hidden-secrets.ts'
import { ThirdPartyError } from '../../domain/connection.ts'
import { declaresSoundHeaders } from '../../domain/vendor/tool-headers.ts'
import {
  type Exchange,
  type JsonObject,
  UrlsRequired,
  type VendorListing,
  type VendorMcp,
  VendorRefusal,
  type VendorTarget,
  type VendorTool,
  vendorCapabilities,
} from '../../domain/vendor/vendor-mcp.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { type TrackedRequest, trackedRequests, trackingHeader } from './tracked-requests.ts'
import { asksOutsideOfTools, isOfSession, translateVendorError, wasNotSent } from './vendor-errors.ts'
import { notePages, openLogin, type VendorLogin } from './vendor-login.ts'

export type VendorLimits = {
  allow: readonly string[]
  silentMs: number
  maxMs: number
  connectMs?: number
  idleMs?: number
  /** A page that a client with a session was asked to open has served its purpose. */
  onPageDone?(session: string, id: string): void
}

const maxLogins = 2_000

const maxTools = 1_000
const maxPages = 64
const maxListedBytes = 400_000

// Checks only the outer shape; the rest is the vendor's and passed on.
const Passed = z.looseObject({})
const ToolPage = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string().min(1).max(256), inputSchema: z.looseObject({}) })).max(maxTools),
  nextCursor: z.string().optional(),
})

export function vendorMcp(limits: VendorLimits): VendorMcp & { close(): Promise<void> } {
  const { allow, silentMs, maxMs, connectMs = 15_000, idleMs = 10 * 60_000, onPageDone } = limits
  const dispatchers = guardedDispatchers(
    { allow },
    { connections: 128, headersTimeout: silentMs, bodyTimeout: silentMs, keepAliveTimeout: 30_000 },
  )
  const requests = trackedRequests()
  const fetches = {
    requests: boundedFetch({ dispatchers, requests, mayListen: false }),
    asking: boundedFetch({ dispatchers, requests, mayListen: true }),
    oldest: boundedFetch({ dispatchers, requests, mayListen: true, isOldest: true }),
  }
  const logins = new LRUCache<string, Promise<VendorLogin>>({
    max: maxLogins,
    ttl: idleMs,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: (login) => void login.then(({ end }) => end()).catch(ignoreError('the login is no longer used')),
  })

  function loginAt(target: VendorTarget, { asker, session }: Exchange, key: string): Promise<VendorLogin> {
    const known = logins.get(key)
    if (known) return known
    const onDone = (id: string) => session !== undefined && onPageDone?.(session, id)
    const opening = openLogin({ target, takes: asker?.takes, onPageDone: onDone }, fetches, connectMs)
    logins.set(key, opening)
    const forget = () => logins.peek(key) === opening && logins.delete(key)
    opening.then(({ client }) => {
      client.onclose = forget
      // The 2024-11-05 transport reconnects without opening its session again.
      client.onerror = (error) => error.message.startsWith('SSE error') && forget()
    }, forget)
    return opening
  }

  /** The client sets the level for its session, and calls that may ask its user have a login of their own. */
  async function withLevel(target: VendorTarget, exchange: Exchange): Promise<Exchange> {
    if (!exchange.asker || exchange.session === undefined || exchange.logLevel !== undefined) return exchange
    const login = await logins.get(keyOf(target, { ...exchange, asker: undefined }))?.catch(() => undefined)
    return { ...exchange, logLevel: login?.logLevel }
  }

  type Work<T> = (login: VendorLogin, options: () => RequestOptions) => Promise<T>

  async function use<T>(target: VendorTarget, exchange: Exchange, work: Work<T>, isRepeated = false): Promise<T> {
    const key = keyOf(target, exchange)
    let request: TrackedRequest | undefined
    let login: VendorLogin | undefined
    const hide = <V>(value: V): V => hideInJson(value, hiderFor(login, target))
    const own = masked(exchange, hide)
    const options = (): RequestOptions => {
      request ??= requests.start(exchange)
      return {
        signal: request.signal,
        // A server that asks the user something is silent until the answer.
        timeout: exchange.asker ? maxMs : silentMs,
        maxTotalTimeout: maxMs,
        resetTimeoutOnProgress: true,
        headers: { [trackingHeader]: request.key },
        ...(own.onProgress && { onprogress: (progress) => own.onProgress?.({ ...progress }) }),
      }
    }
    try {
      login = await loginAt(target, exchange, key)
      login.exchanges.add(own)
      await askForLog(login, exchange)
      return hide(await work(login, options))
    } catch (error) {
      if (login && isOfSession(error) && !request?.reason) logins.delete(key)
      if (login && !isRepeated && wasNotSent(error)) return use(target, exchange, work, true)
      throw request?.reason ?? noted(login, withoutSecrets(translateVendorError(error, target.connection.name), hide))
    } finally {
      login?.exchanges.delete(own)
      request?.end()
    }
  }

  return {
    list: (target, exchange) =>
      use(target, exchange, async (login, options): Promise<VendorListing> => {
        const { client } = login
        const asked = options()
        const offered = client.getServerCapabilities() ?? {}
        const capabilities = vendorCapabilities.filter((name) => offered[name] !== undefined)
        const instructions = client.getInstructions()
        const modest = modestListing(instructions)
        const tools = capabilities.includes('tools')
          ? await allTools(async (params) =>
              modest(await client.request({ method: 'tools/list', params }, ToolPage, asked)),
            )
          : []
        const usable = isModern(login) ? tools.filter(({ inputSchema }) => declaresSoundHeaders(inputSchema)) : tools
        return { tools: usable, capabilities, instructions }
      }),

    async callTool(target, { name, inputSchema }, args, given) {
      const exchange = await withLevel(target, given)
      return use(target, exchange, async (login, options): Promise<JsonObject> => {
        const params = { name, arguments: args, ...metaOf(login, exchange), ...exchange.continued }
        // The schema says which arguments are also sent in headers (2026-07-28).
        const toolDefinition = { name, inputSchema: inputSchema as never }
        return login.client.callTool(params as never, { ...options(), toolDefinition, allowInputRequired: true })
      })
    },

    forward: (target, method, params, exchange) =>
      use(target, exchange, async (login, options) => {
        if (method === 'logging/setLevel') login.logLevel = String(params.level)
        if (method === 'logging/setLevel' && isModern(login)) return {}
        return login.client.request({ method, params: { ...params, ...metaOf(login, exchange) } }, Passed, options())
      }).catch((error) => {
        throw error instanceof UrlsRequired ? asksOutsideOfTools() : error
      }),

    async endSession(session) {
      for (const key of logins.keys()) if (key.endsWith(`|${session}`)) logins.delete(key)
    },

    async close() {
      logins.clear()
      await dispatchers.close()
    },
  }
}

/** A server may ask one user something only in a call of the same user. */
const keyOf = ({ url, connection: { id, version } }: VendorTarget, { session = '', asker }: Exchange) =>
  `${id}:${version}|${url}|${asker ? JSON.stringify([asker.user, asker.takes]) : ''}|${session}`

type Hide = <V>(value: V) => V

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((each, at) => each === others[at])

type Hider = { target: VendorTarget; tokens: readonly string[]; hide: ReturnType<typeof secretHider> }

const hiders = new WeakMap<VendorLogin, Hider>()

/** Cached because spelling the secrets takes longer than searching for them. */
function hiderFor(login: VendorLogin | undefined, target: VendorTarget): Hider['hide'] {
  const tokens = login?.tokens.reveal() ?? []
  const known = login && hiders.get(login)
  if (known?.target === target && areSame(known.tokens, tokens)) return known.hide
  const hide = secretHider([...tokens, ...target.secrets.reveal()])
  if (login) hiders.set(login, { target, tokens: [...tokens], hide })
  return hide
}

const masked = ({ onProgress, onLog, asker, ...exchange }: Exchange, hide: Hide): Exchange => ({
  ...exchange,
  ...(asker && { asker: { ...asker, ask: (params) => asker.ask(hide(params)) } }),
  ...(onProgress && { onProgress: (progress) => onProgress(hide(progress)) }),
  ...(onLog && { onLog: (entry) => onLog(hide(entry)) }),
})

function noted(login: VendorLogin | undefined, error: unknown): unknown {
  if (login && error instanceof UrlsRequired) notePages(login.pages, error.elicitations)
  return error
}

function withoutSecrets(error: unknown, hide: Hide): unknown {
  if (error instanceof UrlsRequired) return new UrlsRequired(hide(error.elicitations))
  return error instanceof VendorRefusal ? new VendorRefusal(error.code, hide(error.message)) : error
}

const isModern = ({ client }: VendorLogin) => client.getProtocolEra() === 'modern'

/** Before 2026-07-28 the level is set once per session instead of per request. */
async function askForLog(login: VendorLogin, { logLevel }: Exchange): Promise<void> {
  if (logLevel === undefined || logLevel === login.logLevel || isModern(login)) return
  if (!login.client.getServerCapabilities()?.logging) return
  login.logLevel = logLevel
  await login.client.request({ method: 'logging/setLevel', params: { level: logLevel as never } }, Passed)
}

function metaOf(login: VendorLogin, { meta, logLevel = login.logLevel }: Exchange): { _meta?: JsonObject } {
  const asked = isModern(login) && logLevel !== undefined ? { [LOG_LEVEL_META_KEY]: logLevel } : {}
  const all = { ...meta, ...asked }
  return Object.keys(all).length === 0 ? {} : { _meta: all }
}

type Page = z.infer<typeof ToolPage>

async function allTools(page: (params: { cursor?: string }) => Promise<Page>): Promise<VendorTool[]> {
  const tools: VendorTool[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages && tools.length <= maxTools; pages++) {
    const next = await page(cursor === undefined ? {} : { cursor })
    tools.push(...(next.tools as VendorTool[]))
    cursor = next.nextCursor
    if (cursor === undefined && tools.length <= maxTools) return unambiguous(tools)
  }
  throw new ThirdPartyError(`It lists more than ${maxTools} tools.`)
}

function modestListing(instructions = ''): (page: Page) => Page {
  let listed = 0
  const count = (text: string) => {
    listed += Buffer.byteLength(text)
    if (listed > maxListedBytes) throw new ThirdPartyError(`It lists more than ${maxListedBytes / 1_000} kB.`)
  }
  count(instructions)
  return (page) => {
    count(JSON.stringify(page.tools))
    return page
  }
}

/** With duplicate names, one tool could be approved and another called. */
function unambiguous(tools: VendorTool[]): VendorTool[] {
  if (new Set(tools.map(({ name }) => name)).size === tools.length) return tools
  throw new ThirdPartyError('It lists two tools with the same name.')
}
