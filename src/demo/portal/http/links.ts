import { Router } from 'express'
import type { Causeway, Link } from '../adapters/causeway.ts'
import type { StartedLinks } from '../adapters/started-links.ts'
import { wordsForUser } from '../domain/cause.ts'
import { stepsOf } from '../domain/link.ts'
import { userOf } from './session.ts'

export function linkPages({ causeway, started }: { causeway: Causeway; started: StartedLinks }): Router {
  return Router().get('/links/:id', async (req, res, next) => {
    if (!(await started.hasLink(req.sessionID, req.params.id))) return next()
    const [link, integrations] = await Promise.all([causeway.link(req.params.id), causeway.integrations()])
    if (link.status === 'linked' && link.connection) {
      return res.redirect(303, `/connections/${encodeURIComponent(link.connection.id)}?linked`)
    }
    const app = integrations.find(({ id }) => id === link.integrationId)?.displayName ?? link.integrationId
    res.render('demo/portal/link', { user: userOf(req), ...linkLocals(link, app) })
  })
}

const titles: Record<Link['status'], string> = {
  pending: 'Connecting',
  linked: 'Connected',
  cancelled: 'Not connected',
  denied: 'Not connected',
  abandoned: 'Not connected',
  failed: 'Not connected',
  needs_attention: 'Not connected yet',
}

/** A user who chooses not to connect is not an error. */
const kinds: Partial<Record<Link['status'], string>> = {
  needs_attention: 'warning',
  cancelled: 'neutral',
  denied: 'neutral',
  abandoned: 'neutral',
}

const linkLocals = ({ id, integrationId, progress, status, continueUrl, ...link }: Link, app: string) => ({
  id,
  integration: integrationId,
  app,
  status,
  kind: kinds[status] ?? 'error',
  title: `${app}: ${titles[status].toLowerCase()}`,
  running: status === 'pending',
  continueUrl,
  steps: stepsOf(progress, app),
  cause: wordsForUser(link, app),
})
