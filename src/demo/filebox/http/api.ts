import { json, type Request, type RequestHandler, type Response, Router } from 'express'
import type Provider from 'oidc-provider'
import { z } from 'zod'
import type { Files, StoredFile } from '../adapters/files.ts'

const Query = z.object({ q: z.string().max(200).default('') })
const NewFile = z.strictObject({
  name: z.string().min(1).max(200),
  type: z.string().max(100).default('text/plain'),
  content: z.string().max(20_000),
})

export function filesApi({ provider, files }: { provider: Provider; files: Files }): Router {
  const needs = (scope: string) => requireScope(provider, scope)

  return Router()
    .get('/api/files', needs('files.read'), async (req, res) => {
      const query = Query.safeParse(req.query)
      if (!query.success) return refuse(res, 400, 'invalid_request', 'q must be one text')
      const found = await files.find(ownerOf(res), query.data.q)
      res.json({ files: found.map(summary) })
    })
    .get('/api/files/:id', needs('files.read'), async (req: Request<{ id: string }>, res) => {
      const file = await files.read(ownerOf(res), req.params.id)
      if (!file) return refuse(res, 404, 'not_found', 'no such file')
      res.json({ ...summary(file), content: file.content })
    })
    .post('/api/files', needs('files.write'), json({ limit: '32kb' }), async (req, res) => {
      const file = NewFile.safeParse(req.body)
      if (!file.success) return refuse(res, 400, 'invalid_request', 'name and content are texts, and needed')
      res.status(201).json(summary(await files.add(ownerOf(res), file.data)))
    })
}

const requireScope =
  (provider: Provider, scope: string): RequestHandler =>
  async (req, res, next) => {
    const [, value] = /^Bearer ([\w-]+)$/i.exec(req.get('authorization') ?? '') ?? []
    if (!value) return challenge(res, 401)
    const token = await provider.AccessToken.find(value)
    if (!token?.isValid) return challenge(res, 401, 'invalid_token')
    if (!token.scopes.has(scope)) return challenge(res, 403, 'insufficient_scope', scope)
    res.locals.owner = token.accountId
    next()
  }

const ownerOf = (res: Response): string => res.locals.owner

/** RFC 6750 §3: no error code if the request has no token. */
function challenge(res: Response, status: number, error?: string, scope?: string): void {
  const parts = { realm: 'filebox', ...(error && { error }), ...(scope && { scope }) }
  const words = Object.entries(parts).map(([name, value]) => `${name}="${value}"`)
  res.set('WWW-Authenticate', `Bearer ${words.join(', ')}`)
  refuse(res, status, error ?? 'unauthorized', 'a bearer token with the right scope is needed')
}

function refuse(res: Response, status: number, error: string, description: string): void {
  res.status(status).json({ error, error_description: description })
}

const summary = ({ id, name, type, content, modifiedAt }: StoredFile) => ({
  id,
  name,
  type,
  size: Buffer.byteLength(content),
  modifiedAt: modifiedAt.toISOString(),
})
