// The page at which a person allows or declines a call. It shows the call to the people who decide, and to nobody else.
import express, { type Request, type RequestHandler, type Response, type Router } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { BrowserPeople } from '../../shared/domain/caller.ts'
import { fromOurPages, pageErrors, type Sessions } from '../../shared/http/own-pages.ts'
import type { FailureLog } from '../../shared/http/to-failure.ts'
import { utcTime } from '../../shared/http/utc-time.ts'
import { type Approval, type Decider, deciderAmong, decisions } from '../domain/approvals/approval.ts'
import { plainArguments, visible } from '../domain/approvals/plain-arguments.ts'
import {
  decideApproval,
  findApproval,
  type OpenApproval,
  type Question,
  readQuestion,
} from '../flows/approvals/decide-approval.ts'

const approvalPath = '/oauth/approval'

export const approvalPage = (publicUrl: string, id: string): string => new URL(`${approvalPath}/${id}`, publicUrl).href

const idPattern = /^[A-Za-z0-9_-]{22}$/

type Parts = {
  ports: Parameters<typeof decideApproval>[0] & { log: FailureLog }
  peopleIn(callerId: string, req: Request, res: Response): Promise<BrowserPeople>
  sessions: Pick<Sessions, 'signInAddress'>
  publicUrl: string
}

const Form = z.object({ decision: z.enum([...decisions, 'stop']) })

export function approvalPages({ ports, peopleIn, sessions, publicUrl }: Parts): Router {
  const enter =
    (handle: (open: OpenApproval, decider: Decider, req: Request, res: Response) => Promise<void>): RequestHandler =>
    async (req, res) => {
      const id = String(req.params.id)
      const open = idPattern.test(id) ? await findApproval(ports, id) : undefined
      if (!open) return showPage(res, 404, { kind: 'unknown' })
      const people = await peopleIn(open.approval.caller.id, req, res)
      const decider = deciderAmong(people, open.approval)
      if (decider) return handle(open, decider, req, res)
      const [stranger] = [people.member, ...people.endUsers].flatMap((person) => person ?? [])
      const isForOthers = open.approval.deciders.are === 'named'
      if (stranger) {
        return showPage(res, 403, { kind: 'other', label: stranger.label, isForOthers })
      }
      if (isForMembers(open.approval)) return res.redirect(303, sessions.signInAddress(req.path))
      showPage(res, 200, { kind: 'nobody', path: req.path })
    }
  const show = enter(async (open, decider, _req, res) => {
    const question = open.state === 'waiting' ? await readQuestion(ports, open) : undefined
    if (question) return showPage(res, 200, { kind: 'ask', label: decider.label, ...questionOf(open, question) })
    showPage(res, 200, { kind: 'decided', ...outcomeOf(open) })
  })
  const decide = enter(async ({ approval }, decider, req, res) => {
    const { decision } = Form.parse(req.body ?? {})
    const from = { requestId: requestIdOf(res), address: req.ip }
    const by = { ...decider, ...from }
    const isDecided = await decideApproval(ports, approval, decision, by)
    // Also after a second click: the page says what was decided.
    res.redirect(303, isDecided ? req.path : `${req.path}?late`)
  })
  const form = express.urlencoded({ extended: false, limit: '1kb' })
  return exactRouter()
    .get(`${approvalPath}/:id`, show)
    .post(`${approvalPath}/:id`, fromOurPages(publicUrl), form, decide)
    .use(approvalPath, pageErrors(ports.log))
}

const isForMembers = ({ deciders, caller }: Approval): boolean =>
  deciders.are === 'named' ? deciders.members.length > 0 : deciders.are === 'caller' && caller.kind === 'user'

const callOf = ({ approval }: OpenApproval) => ({
  app: approval.app,
  tool: visible(approval.tool),
  covers: visible(approval.covers),
  connection: approval.connection,
  caller: approval.caller.label,
})

const questionOf = (open: OpenApproval, { call, startedAt }: Question) => ({
  ...callOf(open),
  path: `${approvalPath}/${open.approval.id}`,
  description: call.description === undefined ? '' : visible(call.description),
  arguments: plainArguments(call.arguments),
  isKey: open.approval.subject.startsWith('key:'),
  startedAt: startedAt && utcTime(startedAt),
})

const outcomeOf = (open: OpenApproval) => ({
  ...callOf(open),
  state: open.state,
  path: `${approvalPath}/${open.approval.id}`,
  decidedBy: open.approval.decidedBy?.label ?? '',
  until: utcTime(open.approval.expiresAt),
})

type Shown =
  | { kind: 'unknown' }
  | { kind: 'other'; label: string; isForOthers: boolean }
  | { kind: 'nobody'; path: string }
  | ({ kind: 'ask'; label: string } & ReturnType<typeof questionOf>)
  | ({ kind: 'decided' } & ReturnType<typeof outcomeOf>)

const showPage = (res: Response, status: number, shown: Shown): void =>
  res.status(status).render('platform/oauth/approval', { shown })
