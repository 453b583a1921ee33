// Erasing an end user from the console. Only admins may: it also takes reasons out of the audit log.
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { AreaFlows } from '../../flows/console-flows.ts'
import { actAs, supportActor, supportCaller } from '../console-guards.ts'
import { erasureLocals, erasuresLocals } from '../locals/erasures.ts'
import { frameLocals } from '../locals/frame.ts'
import { notConfirmed, optional, pagerLocals, Reason, text } from './queries.ts'

type Needs = { flows: Pick<AreaFlows, 'eraseEndUser' | 'readErasure' | 'listErasures' | 'noteRefusal'> }

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

export const erasurePages = ({ flows }: Needs) =>
  exactRouter()
    .get('/erasures', async (req, res) => {
      const { tenant, endUserId, cursor } = ErasuresQuery.parse(req.query)
      // A user is only known within a tenant; a form that was filled in halfway is shown as it is.
      const asked = { tenant, endUserId: tenant === undefined ? undefined : endUserId, cursor, limit }
      const page = await flows.listErasures({ caller: supportCaller(req), ...asked })
      const shown = { erasures: page.data, tenant: tenant ?? '', endUserId: endUserId ?? '', now: new Date() }
      res.render('onboarding/support/erasures', {
        ...erasuresLocals(shown),
        ...pagerLocals('/support/erasures', { tenant, endUserId, cursor }, page.nextCursor),
        ...frameLocals(req, res, '/support/tenants'),
      })
    })
    .post('/erasures', actAs('admin', flows.noteRefusal), async (req, res) => {
      const { tenant, endUserId, confirm, reason } = EraseForm.parse(req.body)
      if (confirm !== endUserId) {
        throw notConfirmed('The two user IDs don’t match.')
      }
      const asker = { caller: supportCaller(req), actor: supportActor(req, res) }
      const { id } = await flows.eraseEndUser({ ...asker, tenant, endUserId, reason })
      res.redirect(303, `/support/erasures/${id}`)
    })
    .get('/erasures/:id', async (req, res) => {
      const erasure = await flows.readErasure({ caller: supportCaller(req), id: req.params.id })
      const locals = erasureLocals(erasure, new Date())
      res.render('onboarding/support/erasure', { ...locals, ...frameLocals(req, res, '/support/tenants') })
    })
