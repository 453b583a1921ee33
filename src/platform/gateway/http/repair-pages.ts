// The page at which a call with a dead grant ends. It sends the right person on to the product, and nobody else.
import type { RequestHandler, Response, Router } from 'express'
import { ReturnedRepair } from '../../../contract/control-plane/repairs.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { pageErrors, type Sessions } from '../../shared/http/own-pages.ts'
import type { FailureLog } from '../../shared/http/to-failure.ts'
import type { Recognize } from '../domain/repair.ts'
import { findRepair, givesNewAccess, vouchFor } from '../flows/open-repair.ts'

const repairPath = '/oauth/repair'

export const repairPage = (publicUrl: string, id: string): string => new URL(`${repairPath}/${id}`, publicUrl).href

const idPattern = /^[A-Za-z0-9_-]{22}$/

type Parts = {
  ports: Parameters<typeof findRepair>[0] & { log: FailureLog }
  recognize: Recognize<Parameters<RequestHandler>[0], Response>
  sessions: Pick<Sessions, 'signInAddress'>
}

export function repairPages({ ports, recognize, sessions }: Parts): Router {
  const show: RequestHandler = async (req, res) => {
    const id = String(req.params.id)
    const found = idPattern.test(id) ? await findRepair(ports, id) : undefined
    if (!found) return showPage(res, 404, { kind: 'unknown' })
    const { app, repair, repairUrl } = found
    const person = await recognize(repair.caller.id, req, res)
    if (person.is === 'other') return showPage(res, 403, { kind: 'other', ...person })
    if (person.is === 'caller' && found.isDone) return showPage(res, 200, { kind: 'done', app })
    const returned = ReturnedRepair.safeParse(req.query).data
    if (person.is === 'caller' && !(person.isRemembered && givesNewAccess(repair, returned)))
      return res.redirect(303, (await vouchFor(ports, found, returned, person)).reveal())
    if (repair.caller.kind === 'user') return res.redirect(303, sessions.signInAddress(req.path))
    showPage(res, 200, { kind: 'nobody', repairUrl, path: req.path })
  }
  return exactRouter().get(`${repairPath}/:id`, show).use(repairPath, pageErrors(ports.log))
}

type Shown =
  | { kind: 'unknown' }
  | { kind: 'other'; label: string }
  | { kind: 'done'; app: string }
  | { kind: 'nobody'; repairUrl: string; path: string }

const showPage = (res: Response, status: number, shown: Shown): void =>
  res.status(status).render('platform/oauth/repair', { label: '', app: '', repairUrl: '', path: '', ...shown })
