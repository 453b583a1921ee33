// Only admins can erase end users: it also removes reasons from the audit log.

import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { eraseEndUser, listErasures, readErasure } from '../../../offboarding/flows/erase-end-user.ts'
import { actAs, askerOf, supportCaller } from '../console-guards.ts'
import { erasureLocals, erasuresLocals } from '../locals/erasures.ts'
import { renderSupport } from '../locals/frame.ts'
import type { PageParts } from '../page-parts.ts'
import { notConfirmed, optional, pagerLocals, Reason, text } from './queries.ts'

const userId = text(200).trim()
const ErasuresQuery = z.object({
  tenant: optional(text(80).trim()),
  endUserId: optional(userId),
  cursor: optional(z.string().regex(/^ers_[\w-]{1,100}$/, 'is not a valid page')),
})
const EraseForm = z.strictObject({
  tenant: text(80).trim().min(1, 'is missing'),
  endUserId: userId.min(1, 'is missing'),
  confirm: userId,
  reason: Reason,
})

const limit = 50

export const erasurePages = ({ ports, settings }: PageParts) =>
  exactRouter()
    .get('/erasures', async (req, res) => {
      const { tenant, endUserId, cursor } = ErasuresQuery.parse(req.query)
      // User IDs are only unique within a tenant.
      const asked = { tenant, endUserId: tenant === undefined ? undefined : endUserId, cursor, limit }
      const page = await listErasures(ports, { caller: supportCaller(req), ...asked })
      const shown = { erasures: page.data, tenant: tenant ?? '', endUserId: endUserId ?? '', now: new Date() }
      renderSupport(req, res, 'erasures', '/support/tenants', {
        ...erasuresLocals(shown),
        ...pagerLocals('/support/erasures', { tenant, endUserId, cursor }, page.nextCursor),
      })
    })
    .post('/erasures', actAs('admin', ports), async (req, res) => {
      const { tenant, endUserId, confirm, reason } = EraseForm.parse(req.body)
      if (confirm !== endUserId) {
        throw notConfirmed('The two user IDs don’t match.')
      }
      const asker = askerOf(req, res)
      const { id } = await eraseEndUser(ports, settings, { ...asker, tenant, endUserId, reason })
      res.redirect(303, `/support/erasures/${id}`)
    })
    .get('/erasures/:id', async (req, res) => {
      const erasure = await readErasure(ports, { caller: supportCaller(req), id: req.params.id })
      const locals = erasureLocals(erasure, new Date())
      renderSupport(req, res, 'erasure', '/support/tenants', locals)
    })
