// Filebox, the demo's third party: stores files, signs its users in, and lets apps request access.
import express, { type Application, type ErrorRequestHandler, type RequestHandler } from 'express'
import { retryWhileUnavailable } from '../../kit/database/prepare-database.ts'
import { listen } from '../../kit/http/http-server.ts'
import { errors } from '../../kit/http/oidc-provider.ts'
import { servePages } from '../../kit/http/pages.ts'
import { requestIds } from '../../kit/http/request-id.ts'
import { securityHeaders } from '../../kit/http/security-headers.ts'
import { ignoreError } from '../../kit/process/ignore-error.ts'
import { closeAll } from '../../kit/process/program.ts'
import { sameOriginPosts } from '../http/same-origin-posts.ts'
import { openFileboxDatabase } from './adapters/database.ts'
import { filesOf, placeFirstFiles } from './adapters/files.ts'
import { grantsOf } from './adapters/grants.ts'
import { keptKeys } from './adapters/kept-keys.ts'
import { forgetExpired, recordsOf } from './adapters/records.ts'
import { accountPages } from './http/account.ts'
import { filesApi } from './http/api.ts'
import { interactionPages } from './http/interactions.ts'
import { createProvider, type FileboxClient } from './provider.ts'

export type FileboxOptions = {
  host: string
  port: number
  publicUrl: string
  databaseUrl: string
  client: FileboxClient
  rotateRefreshTokens?: boolean
  onError?: (error: unknown) => void
}

export type Filebox = { url: string; close(): Promise<void> }

export async function startFilebox(options: FileboxOptions): Promise<Filebox> {
  const pool = await openFileboxDatabase(options.databaseUrl)
  const [keys] = await retryWhileUnavailable(10_000, () =>
    Promise.all([keptKeys(pool), placeFirstFiles(pool), forgetExpired(pool)]),
  )
  const app = express()
  const onError = options.onError ?? ignoreError('no handler was given')
  const grants = grantsOf(pool)
  const files = filesOf(pool)
  const provider = createProvider({
    url: options.publicUrl,
    client: options.client,
    keys,
    grants,
    records: recordsOf(pool),
    rotateRefreshTokens: options.rotateRefreshTokens ?? false,
    renderError: ({ error, description }) => rendered(app, { title: 'This request failed', error, description }),
    onError,
  })
  app.disable('x-powered-by').use(requestIds, securityHeaders({ https: options.publicUrl.startsWith('https:') }))
  servePages(app)
  app.use(filesApi({ provider, files }), sameOriginPosts, interactionPages({ provider, grants }))
  app.use(accountPages({ provider, grants, files }), provider.callback() as RequestHandler, errorPage(onError))
  const server = await listen(app, options)
  return {
    url: options.publicUrl,
    close: closeAll(
      () => server.close(2_000),
      () => pool.end(),
    ),
  }
}

const rendered = (app: Application, locals: object): Promise<string> =>
  new Promise((resolve, reject) =>
    app.render('demo/filebox/error', locals, (error, page) => (error ? reject(error) : resolve(page))),
  )

const errorPage =
  (onError: (error: unknown) => void): ErrorRequestHandler =>
  async (error, req, res, next) => {
    if (res.headersSent) return next(error)
    const over = error instanceof errors.SessionNotFound
    if (!over) onError(error)
    const locals = over
      ? {
          title: 'This page is closed',
          error: '',
          description: 'You have answered already, or it took too long. Go back to the app you came from.',
        }
      : { title: 'Something went wrong at Filebox', error: '', description: 'Please try again.' }
    res.status(over ? 410 : 500).send(await rendered(req.app, locals))
  }
