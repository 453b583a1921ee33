import type { RequestHandler } from 'express'

/**
 * A form is taken only from our own pages. The demo's hosts differ by port, which browsers call the same site: their
 * SameSite cookies travel along, so only "same-origin" will do. Servers (the token endpoint's callers) send no header.
 */
export const sameOriginPosts: RequestHandler = (req, res, next) => {
  const site = req.get('sec-fetch-site')
  if (req.method !== 'POST' || !site || site === 'same-origin') return next()
  res.status(403).type('text').send('This form was not sent from this site.')
}
