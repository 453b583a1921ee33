import type { Request, Response } from 'express'

/** What a person is asked: to sign in, or to allow an app something. */
export type Interaction = { uid: string; step: string; app: string; personalScopes: string[]; scopes: string[] }

/** The authorization server as these routes use it. */
export type OAuthServer = {
  serve(req: Request, res: Response, url: string, parameters?: Record<string, string>): Promise<void>
  interaction(req: Request, res: Response): Promise<Interaction>
  signedIn(req: Request, res: Response, accountId: string): Promise<string>
  allowed(req: Request, res: Response): Promise<string>
  refused(req: Request, res: Response): Promise<string>
}
