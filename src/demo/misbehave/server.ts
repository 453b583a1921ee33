// An OAuth provider that misbehaves as its address says. One process serves any number of providers.
import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express'
import { LRUCache } from 'lru-cache'
import { lazy } from '../../kit/cache/lazy.ts'
import { listen } from '../../kit/http/http-server.ts'
import { idTokenKey } from './domain/id-token.ts'
import { createInstance, type Instance } from './domain/instance.ts'
import { presets as knownPresets, type Presets, parseInstanceName } from './domain/presets.ts'
import type { Switch } from './domain/switch.ts'
import { SwitchUnknown, switchGroups } from './domain/switch-table.ts'
import { accountRoutes } from './http/account.ts'
import { authorizeRoutes } from './http/authorize.ts'
import { controlRoutes } from './http/control.ts'
import { metadata, metadataRoutes } from './http/metadata.ts'
import { revocationRoutes } from './http/revoke.ts'
import { tokenRoutes } from './http/token.ts'

type MisbehavingOptions = {
  host: string
  port: number
  publicUrl?: string | undefined
  presets?: Presets
}

export type MisbehavingProvider = {
  url: string
  port: number
  /** The provider at a path such as `ci;pkce=refused`. */
  instance(segment: string): Instance
  close(): Promise<void>
}

/** The least recently used provider is evicted. */
const maxInstances = 1_000

export async function startMisbehavingProvider(options: MisbehavingOptions): Promise<MisbehavingProvider> {
  const instances = new LRUCache<string, Instance>({ max: maxInstances })
  const presets = { ...knownPresets, ...options.presets }
  let url = options.publicUrl ?? ''
  const instance = (segment: string): Instance => {
    const known = instances.get(segment)
    if (known) return known
    const made = createInstance(segment, `${url}/${segment}`, parseInstanceName(segment, presets).switches)
    instances.set(segment, made)
    return made
  }
  const app = createApp(instance, (segment) => instances.delete(segment))
  const server = await listen(app, options)
  url ||= `http://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${server.port}`
  return { url, port: server.port, instance, close: () => server.close(0) }
}

function createApp(instance: (segment: string) => Instance, forget: (segment: string) => void): Express {
  const key = lazy(idTokenKey)
  const find: RequestHandler<{ segment: string; host?: string }> = (req, res, next) => {
    res.locals.instance = instance(req.params.segment)
    res.locals.host = req.params.host
    next()
  }
  const endpoints = Router().use(hostGuard, metadataRoutes(key), authorizeRoutes(), tokenRoutes(key))
  endpoints.use(revocationRoutes(), accountRoutes())
  return (
    express()
      .disable('x-powered-by')
      .get('/', overview)
      .get('/healthz', (_req, res) => void res.json({ status: 'ok' }))
      // RFC 8414 §3.1: the path of the issuer comes last.
      .get('/.well-known/oauth-authorization-server/:segment', find, metadata)
      .get('/.well-known/oauth-authorization-server/:segment/at/:host', find, metadata)
      .use('/:segment/at/:host', find, endpoints)
      .use('/:segment', find, controlRoutes(forget), endpoints)
      .use(errors)
  )
}

/** With `host_input=path`, endpoints exist only below a customer's site. */
const hostGuard: RequestHandler = (_req, res, next) => {
  const { switches } = res.locals.instance as Instance
  const needsHost = switches.host_input === 'path'
  if (needsHost === (res.locals.host !== undefined)) return next()
  res.status(404).type('html').send('<!doctype html><h1>There is no such site</h1>')
}

const errors: ErrorRequestHandler = (error, _req, res, next) => {
  if (res.headersSent) return next(error)
  if (error instanceof SwitchUnknown) return void res.status(400).json({ error: error.message })
  const status = Number(error?.status)
  res.status(status >= 400 && status < 500 ? status : 500).json({ error: 'this request cannot be read' })
}

const overview: RequestHandler = (_req, res) =>
  void res.json({
    about: 'The address defines the provider: /<name>;<switch>=<value>;… Its state is at /<name>…/control.',
    presets: Object.keys(knownPresets),
    switches: Object.fromEntries(
      Object.entries(switchGroups).map(([group, switches]) => [group, Object.fromEntries(rowsOf(switches))]),
    ),
  })

const rowsOf = (switches: Record<string, Switch<unknown>>) =>
  Object.entries(switches).map(([name, { default: byDefault, values, does }]) => [
    name,
    { default: byDefault, values, does },
  ])
