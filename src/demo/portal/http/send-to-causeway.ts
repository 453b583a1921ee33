import type { Request, Response } from 'express'
import type { StartedLinks } from '../adapters/started-links.ts'
import { newCompletion } from '../domain/link.ts'

type Session = { returnUrl: string; completionChallenge: string }

/** `url`: Acme's address. */
export type SendingNeeds = { started: StartedLinks; url: string }

/** Creates a session that only this browser session can complete, and sends the browser there. */
export const sendToCauseway =
  ({ started, url }: SendingNeeds) =>
  async (req: Request, res: Response, mint: (session: Session) => Promise<{ id: string; url: string }>) => {
    const { verifier, challenge } = newCompletion()
    const minted = await mint({ returnUrl: `${url}/integrations/return`, completionChallenge: challenge })
    await started.keepVerifier(req.sessionID, minted.id, verifier)
    leaveFor(res, minted.url, 'Taking you to Causeway, which connects accounts for Acme.')
  }

/** `form-action 'self'` forbids a form to redirect to another host, so the response is a page that redirects. */
export function leaveFor(res: Response, address: string, lead: string): void {
  res.set('Refresh', `0; url=${address}`).render('demo/portal/redirect', { address, lead })
}
