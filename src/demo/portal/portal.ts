// Acme, the demo's tenant: a small product whose user links an account and uses it.
import { RedisStore } from 'connect-redis'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import session from 'express-session'
import { awaitRedis, openRedis, type RedisClient } from '../../kit/database/redis.ts'
import { listen } from '../../kit/http/http-server.ts'
import { servePages } from '../../kit/http/pages.ts'
import { requestIdOf, requestIds } from '../../kit/http/request-id.ts'
import { securityHeaders } from '../../kit/http/security-headers.ts'
import { ignoreError } from '../../kit/process/ignore-error.ts'
import { closeAll } from '../../kit/process/program.ts'
import { sameOriginPosts } from '../http/same-origin-posts.ts'
import { CausewayError, causewayAt } from './adapters/causeway.ts'
import { functionsOf } from './adapters/function-client.ts'
import { startedLinks } from './adapters/started-links.ts'
import { sessionSeconds } from './domain/link.ts'
import { connectionPages } from './http/connections.ts'
import { integrationPages } from './http/integrations.ts'
import { linkPages } from './http/links.ts'
import { requireUser, signInPages } from './http/session.ts'

export type PortalOptions = {
  host: string
  port: number
  publicUrl: string
  /** Without Redis, sessions are kept in this process. */
  redisUrl: string | undefined
  sessionSecret: string
  causeway: { url: string; apiKey: string; tenant: string }
  platform: { apiKey: string }
  /** Pictures by integration. */
  icons?: Record<string, string>
  onError?: (error: unknown) => void
}

export type Portal = { url: string; close(): Promise<void> }

export async function startPortal(options: PortalOptions): Promise<Portal> {
  const redis = options.redisUrl ? openRedis(options.redisUrl) : undefined
  if (redis) await awaitRedis(redis, 5_000)
  const causeway = causewayAt(options.causeway)
  const url = options.publicUrl
  const started = startedLinks(redis)
  const functions = functionsOf(options.platform)
  const https = options.publicUrl.startsWith('https:')
  const app = express()
  app.disable('x-powered-by').use(requestIds, securityHeaders({ https }))
  servePages(app)
  app.get('/style-guide{/:shell}', styleGuide)
  app.use(sameOriginPosts, sessions(redis, options.sessionSecret, https), signInPages(), requireUser)
  app.use(integrationPages({ causeway, started, url, icons: options.icons ?? {} }), linkPages({ causeway, started }))
  app.use(
    connectionPages({ causeway, functions, started, url }),
    missingPage,
    errorPage(options.onError ?? ignoreError('no handler was given')),
  )
  const server = await listen(app, options).catch((error) => {
    redis?.disconnect()
    throw error
  })
  return {
    url: options.publicUrl,
    close: closeAll(
      () => server.close(2_000),
      () => redis?.disconnect(),
    ),
  }
}

const sessions = (redis: RedisClient | undefined, secret: string, secure: boolean): RequestHandler =>
  session({
    // Cookies ignore ports, so the name must be unique on this host.
    name: 'acme_session',
    secret,
    store: redis ? redisSessions(redis) : new session.MemoryStore(),
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure, maxAge: sessionSeconds * 1_000 },
  })

const redisSessions = (client: RedisClient) => new RedisStore({ client, prefix: 'acme:session:', ttl: sessionSeconds })

const styleGuide: RequestHandler = (req, res) =>
  res.render('demo/style-guide', { shell: req.params.shell === 'narrow' ? 'narrow' : 'wide' })

const missingPage: RequestHandler = (_req, res) => {
  const locals = { title: 'Page not found', text: 'It doesn’t exist, or you don’t have access to it.' }
  res.status(404).render('demo/portal/error', { ...locals, requestId: requestIdOf(res) })
}

const errorPage =
  (onError: (error: unknown) => void): ErrorRequestHandler =>
  (error, _req, res, next) => {
    if (res.headersSent) return next(error)
    onError(error)
    const isApiError = error instanceof CausewayError
    const locals = isApiError
      ? { title: error.title, text: error.detail }
      : { title: 'Something went wrong at Acme', text: 'The problem is on our side. Please try again.' }
    res.status(isApiError ? 502 : 500).render('demo/portal/error', { ...locals, requestId: requestIdOf(res) })
  }
