import type { Request, Response } from 'express'
import type { StartedLinks } from '../adapters/started-links.ts'
import { newCompletion } from '../domain/link.ts'

type Session = { returnUrl: string; completionChallenge: string }

/** `url`: Acme's own address. */
export type SendingNeeds = { started: StartedLinks; url: string }

/** Has a session made whose way back only this browser session can finish, and moves the browser on to it. */
export const sendToCauseway =
  ({ started, url }: SendingNeeds) =>
  async (req: Request, res: Response, mint: (session: Session) => Promise<{ id: string; url: string }>) => {
    const { verifier, challenge } = newCompletion()
    const minted = await mint({ returnUrl: `${url}/integrations/return`, completionChallenge: challenge })
    await started.keepVerifier(req.sessionID, minted.id, verifier)
    // A form may not redirect to another host (`form-action 'self'`): so a page that moves on by itself.
    res.set('Refresh', `0; url=${minted.url}`).render('demo/portal/redirect', { address: minted.url })
  }
