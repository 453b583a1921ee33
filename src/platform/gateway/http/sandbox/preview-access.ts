// Requests to a preview become requests to its sandbox, without a credential of the platform.
import type { IncomingMessage } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import { sandboxApiPort } from '../../../../contract/control-plane/previews.ts'
import { hopByHop } from '../../../../kit/streams/passed-headers.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { customPreviewOf } from '../../../shared/http/addressed-to.ts'
import type { Guards } from '../../../shared/http/operation.ts'
import type { ControlPlane } from '../../domain/ports.ts'
import type { ServedPreview } from '../../domain/sandbox/preview.ts'
import { openPreview } from '../../flows/sandbox/open-preview.ts'
import { proxyCommands } from '../proxy-headers.ts'

type Ports = Parameters<typeof openPreview>[0] & Pick<ControlPlane, 'findPreviewAt'>

const parameter = 'preview_token'

export function previewAccess(ports: Ports, { headers, countPreview }: Pick<Guards, 'headers' | 'countPreview'>) {
  const opened = new WeakMap<IncomingMessage, { preview: ServedPreview; again(): Promise<unknown> }>()
  const enter: RequestHandler = async (req, res, next) => {
    const asked = askedIn(req)
    if (!asked) return next()
    const token = req.get(headers.previewToken) ?? asked.token ?? (isForeignSocket(req) ? undefined : cookieIn(req))
    const id = asked.label === undefined ? asked.id : ((await ports.findPreviewAt(asked.label)) ?? asked.label)
    const open = () => openPreview(ports, id, token)
    const preview = await countPreview(req, id, open)
    for (const name of [headers.authorization, headers.previewToken, 'authorization', 'cookie'])
      delete req.headers[name.toLowerCase()]
    opened.set(req, { preview, again: async () => assertSamePort(preview, await open()) })
    setRequestHeaders(req, preview)
    setHeaders(res, preview)
    if (asked.ownHost && asked.token !== undefined)
      res.cookie(parameter, asked.token, { httpOnly: true, sameSite: 'lax', secure: req.secure })
    const place = preview.port === sandboxApiPort ? '' : `/port/${preview.port}`
    req.url = `/${preview.workspace}/sandboxes/${preview.sandbox}${place}${asked.rest}`
    next()
  }
  return { enter, of: (req: IncomingMessage) => opened.get(req) }
}

/** A request in progress would go on to reach a port that the owner has closed. */
function assertSamePort(before: ServedPreview, { port }: ServedPreview): void {
  if (port !== before.port) throw new Failure('route_unknown', 'The preview leads to another port now.')
}

/** `label`: the first label of a host that its owner chose. */
type Asked = { id: string; label?: string | undefined; rest: string; token: string | undefined; ownHost: boolean }

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const hosts = new RegExp(`^pv-(${uuid})\\.`)
const chosenHosts = /^(pv-[a-z0-9-]{1,60})\./
const paths = new RegExp(`^/[^/?]+/previews/(${uuid})([/?].*)?$`, 's')

function askedIn(req: Request): Asked | undefined {
  const { url } = req
  const host = (req.headers.host ?? '').toLowerCase()
  const ownId = customPreviewOf(req) ?? hosts.exec(host)?.[1]
  const label = ownId === undefined ? chosenHosts.exec(host)?.[1] : undefined
  const hostId = ownId ?? label
  const [, pathId, below = ''] = paths.exec(url) ?? []
  const id = hostId ?? pathId
  if (id === undefined) return undefined
  const [path = '', query = ''] = (hostId === undefined ? below : url).split(/\?(.*)/s)
  const pairs = query.split('&').filter((pair) => pair !== '')
  const isToken = (pair: string) => pair.startsWith(`${parameter}=`)
  const others = pairs.filter((pair) => !isToken(pair)).join('&')
  const token = pairs.find(isToken)?.slice(parameter.length + 1)
  return { id, label, token, rest: `${path}${others && `?${others}`}`, ownHost: hostId !== undefined }
}

const cookieIn = (req: Request): string | undefined =>
  /(?:^|;\s*)preview_token=([^;]+)/.exec(req.headers.cookie ?? '')?.[1]

/** Browsers let pages of other origins open WebSockets and read from them (RFC 6455, section 10.2). */
const isForeignSocket = ({ headers: { upgrade, origin, host } }: Request): boolean =>
  upgrade !== undefined && origin !== undefined && origin !== `https://${host}` && origin !== `http://${host}`

/** The host decides about the origin of pages, and the others about where the request ends. */
const keptFromClient = new Set([...hopByHop, 'host', 'content-length', 'expect'])

function setRequestHeaders(req: Request, { requestHeaders }: ServedPreview): void {
  for (const [name, value] of Object.entries(requestHeaders))
    if (!keptFromClient.has(name.toLowerCase())) req.headers[name.toLowerCase()] = value
}

/** Other headers could affect the sign-in: without a sandbox domain, previews share its origin. */
const settable = /^(access-control-[a-z-]+|cache-control|vary|x-[a-z0-9-]+)$/

function setHeaders(res: Response, { responseHeaders }: ServedPreview): void {
  for (const [given, value] of Object.entries(responseHeaders)) {
    const name = given.toLowerCase()
    const isOurs = name !== 'cache-control' && res.hasHeader(name)
    if (settable.test(name) && !isOurs && !proxyCommands.includes(name)) res.set(name, value)
  }
}
