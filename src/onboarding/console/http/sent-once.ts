// Forms whose answer is shown once, such as a key: sent again by a reload or a double click, they do nothing.
import type { Request, RequestHandler, Response } from 'express'
import type { ConsoleFlows } from '../flows/console-flows.ts'
import { frameLocals } from './locals/frame.ts'

/** What to do if the answer to the first one was not kept, and where. */
type Otherwise = { text: string; href(req: Request): string }

type Handler = (req: Request, res: Response) => Promise<void>

export type SentOnce = (otherwise: Otherwise, handler: Handler) => RequestHandler

export const sentOnce =
  ({ sendFormOnce }: Pick<ConsoleFlows, 'sendFormOnce'>): SentOnce =>
  ({ text, href }, handler) =>
  async (req, res) => {
    // A page has several forms, and one token for all of them.
    const form = `${req.baseUrl}${req.path} ${res.locals.formId}`
    const isFirst = await sendFormOnce({ sessionId: req.sessionID, form }, () => handler(req, res))
    if (isFirst) return
    const locals = { title: 'This form was already sent', text, href: href(req) }
    res.status(409).render('onboarding/support/sent-before', { ...locals, ...frameLocals(req, res, undefined) })
  }
