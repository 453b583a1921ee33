import type { RequestHandler } from 'express'

/** Browsers treat the demo's hosts as one site, so only "same-origin" is safe. Servers send no header. */
export const sameOriginPosts: RequestHandler = (req, res, next) => {
  const site = req.get('sec-fetch-site')
  if (req.method !== 'POST' || !site || site === 'same-origin') return next()
  res.status(403).type('text').send('This form was not sent from this site.')
}
