import type { Request } from 'express'

/** What follows the workload's name in the address, encoded as it came, with the query; our own parameter goes. */
export function subPath(req: Request): string {
  const [pathname = '', query = ''] = req.originalUrl.split(/\?(.*)/s)
  const rest = pathname.split('/').slice(4)
  const parameters = query.split('&').filter((pair) => pair !== '' && !/^async=/.test(pair))
  return `${rest.length > 0 ? `/${rest.join('/')}` : ''}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`
}
