import type { Request, Response } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { missing } from '../../../domain/failure.ts'
import { createApiKey, listApiKeys, readApiKey, revokeApiKey } from '../../../tenants/flows/manage-api-keys.ts'
import { readSuggested } from '../../flows/read-support.ts'
import { actAs, supportActor } from '../console-guards.ts'
import { firstSubmissionOnly } from '../form-guards.ts'
import { renderSupport } from '../locals/frame.ts'
import { keyLocals, keysLocals, newKeyLocals } from '../locals/keys.ts'
import type { PageParts } from '../page-parts.ts'
import { choice, optional, pagerLocals, Reason, ReasonForm, text } from './queries.ts'

const limit = 50

const keyId = z.string().regex(/^key_[0-9a-z]{1,60}$/, 'is not a valid ID')
const KeysQuery = z.object({ tenant: optional(text(200).trim()), cursor: optional(keyId) })
const NewKeyQuery = z.object({ tenant: optional(text(200).trim()) })
const NewKeyForm = z.strictObject({
  reason: Reason,
  name: text(100).trim().min(1, 'is missing'),
  tenant: optional(text(200).trim()),
  testMode: z.literal('yes').optional(),
  lifetime: choice(['30', '90', '365', 'never']).default('90'),
})

export function keyPages({ ports }: PageParts) {
  const admin = actAs('admin', ports)
  const once = firstSubmissionOnly(ports)
  return exactRouter()
    .get('/keys', async (req, res) => {
      const { cursor, ...params } = KeysQuery.parse(req.query)
      const [page, suggested] = await Promise.all([
        listApiKeys(ports, { ...params, cursor, limit }),
        readSuggested(ports),
      ])
      const pager = pagerLocals('/support/keys', { ...params, cursor }, page.nextCursor)
      render(req, res, 'keys', { ...keysLocals(page.data, params, suggested, new Date()), ...pager })
    })
    .get('/keys/new', async (req, res) =>
      render(req, res, 'key-new', newKeyLocals(NewKeyQuery.parse(req.query).tenant, await readSuggested(ports))),
    )
    .post('/keys', admin, once, async (req, res) => {
      const { name, tenant, testMode, lifetime, reason } = NewKeyForm.parse(req.body)
      const lifetimeDays = lifetime === 'never' ? undefined : Number(lifetime)
      const wanted = { name, tenant, testMode: testMode === 'yes', lifetimeDays, reason }
      const { id, key } = await createApiKey(ports, { ...wanted, actor: supportActor(req, res) })
      const words = 'Copy it now. Only a hash is stored, so it won’t be shown again.'
      const shownOnce = { title: 'API key created', text: words, address: key.reveal(), tools: undefined }
      render(req, res, 'result', { ...shownOnce, back: `/support/keys/${id}` })
    })
    .get('/keys/:id', async (req, res) => {
      const key = await readApiKey(ports, idOf(req))
      render(req, res, 'key', keyLocals(key, req.query.done, new Date()))
    })
    .post('/keys/:id/revoke', admin, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const id = idOf(req)
      await revokeApiKey(ports, { actor: supportActor(req, res), id, reason })
      res.redirect(303, `/support/keys/${id}?done=revoked`)
    })
}

function idOf(req: Request): string {
  const read = keyId.safeParse(req.params.id)
  if (!read.success) throw missing('API key')
  return read.data
}

function render(req: Request, res: Response, view: string, locals: object): void {
  renderSupport(req, res, view, '/support/keys', locals)
}
