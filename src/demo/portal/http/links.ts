// One attempt to link, while it runs and how it ended.
import { Router } from 'express'
import type { Causeway, Link } from '../adapters/causeway.ts'
import { stepsOf } from '../domain/link-progress.ts'
import { moveOf } from '../domain/whose-move.ts'
import { portalOf, userOf } from './session.ts'

export function linkPages({ causeway }: { causeway: Causeway }): Router {
  return Router().get('/links/:id', async (req, res, next) => {
    if (!portalOf(req).links?.includes(req.params.id)) return next()
    const [link, integrations] = await Promise.all([causeway.link(req.params.id), causeway.integrations()])
    if (link.status === 'linked' && link.connection) {
      return res.redirect(303, `/connections/${encodeURIComponent(link.connection.id)}?linked`)
    }
    const app = integrations.find(({ id }) => id === link.integration)?.displayName ?? link.integration
    res.render('demo/portal/link', { user: userOf(req), ...linkLocals(link, app) })
  })
}

const titles: Record<Link['status'], string> = {
  pending: 'Connecting',
  linked: 'Connected',
  denied: 'Not connected',
  abandoned: 'Not connected',
  failed: 'Not connected',
  needs_attention: 'Not connected yet',
}

const linkLocals = ({ id, integration, state, status, cause, continueUrl }: Link, app: string) => ({
  id,
  integration,
  app,
  status,
  title: `${app}: ${titles[status].toLowerCase()}`,
  running: status === 'pending',
  continueUrl,
  steps: stepsOf(state, app),
  cause: cause && { ...cause, move: moveOf(cause.whoseMove, app) },
})
