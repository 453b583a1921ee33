import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import type { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import type { ConsoleFlows } from '../../flows/console-flows.ts'
import { supportActor } from '../console-guards.ts'
import { takeNotice } from '../console-session.ts'
import { doneNotice } from '../locals/connection.ts'
import { frameLocals, type SupportPage } from '../locals/frame.ts'
import { connectionsFile, linksFile } from '../locals/list-files.ts'
import { connectionsLocals, linksLocals, searchLocals } from '../locals/lists.ts'
import { deliveriesLocals } from '../locals/webhooks.ts'
import { ConnectionsQuery, DeliveriesQuery, LinksQuery, pagerLocals, queryOf, SearchQuery, spanOf } from './queries.ts'

type Flows = Pick<
  ConsoleFlows,
  'search' | 'listConnections' | 'exportConnections' | 'listLinks' | 'exportLinks' | 'listDeliveries' | 'listReceivers'
>

const limit = 50

export const listPages = ({
  console,
  integrations,
}: {
  console: Flows
  integrations: () => readonly CatalogueItem[]
}) =>
  exactRouter()
    .get('/search', async (req, res) => {
      const { q } = SearchQuery.parse(req.query)
      const found = await console.search(q)
      const locals = searchLocals({ q, found, integrations: integrations(), now: new Date() })
      render(req, res, 'search', undefined, locals)
    })
    .get('/connections', async (req, res) => {
      const { cursor, ...params } = ConnectionsQuery.parse(req.query)
      const page = await console.listConnections({ ...connectionFilter(params), cursor, limit })
      const pager = pagerLocals('/support/connections', { ...params, cursor }, page.nextCursor)
      const locals = connectionsLocals({ page, filter: params, integrations: integrations(), now: new Date() })
      const exportHref = `/support/connections.csv?${queryOf(params)}`
      render(req, res, 'connections', '/support/connections', { ...locals, ...pager, exportHref })
    })
    .get('/connections.csv', async (req, res) => {
      const { cursor: _none, ...params } = ConnectionsQuery.parse(req.query)
      const asked = { actor: supportActor(req, res), filter: connectionFilter(params) }
      await sendCsv(res, 'causeway-connections.csv', connectionsFile(await console.exportConnections(asked)))
    })
    .get('/links', async (req, res) => {
      const { cursor, ...params } = LinksQuery.parse(req.query)
      const page = await console.listLinks({ ...linkFilter(params), cursor, limit })
      const pager = pagerLocals('/support/links', { ...params, cursor }, page.nextCursor)
      const locals = linksLocals({ page, filter: params, integrations: integrations(), now: new Date() })
      const exportHref = `/support/links.csv?${queryOf(params)}`
      const done = takeNotice(req)
      render(req, res, 'links', '/support/links', { ...locals, done, ...pager, exportHref })
    })
    .get('/links.csv', async (req, res) => {
      const { cursor: _none, ...params } = LinksQuery.parse(req.query)
      const asked = { actor: supportActor(req, res), filter: linkFilter(params) }
      await sendCsv(res, 'causeway-links.csv', linksFile(await console.exportLinks(asked)))
    })
    .get('/webhooks', async (req, res) => {
      const { cursor, ...filter } = DeliveriesQuery.parse(req.query)
      const [page, receivers] = await Promise.all([
        console.listDeliveries({ ...emptyFilter(DeliveriesQuery), ...filter, cursor, limit }),
        console.listReceivers(filter.tenant, limit),
      ])
      const pager = pagerLocals('/support/webhooks', { ...filter, cursor }, page.nextCursor)
      const locals = deliveriesLocals({ page, receivers, filter, now: new Date() })
      const done = doneNotice(req.query.done)
      render(req, res, 'webhooks', '/support/webhooks', { ...locals, done, ...pager })
    })

type ConnectionParams = Omit<z.infer<typeof ConnectionsQuery>, 'cursor'>
type LinkParams = Omit<z.infer<typeof LinksQuery>, 'cursor'>

function connectionFilter({ from, to, health, ...filter }: ConnectionParams) {
  const judged = { healthUnknown: health === 'unknown', grantEnding: health === 'ending' }
  return { ...emptyFilter(ConnectionsQuery), ...filter, ...judged, ...spanOf({ from, to }) }
}

function linkFilter({ from, to, retrying, ...filter }: LinkParams) {
  return { ...emptyFilter(LinksQuery), ...filter, retrying: retrying === 'yes', ...spanOf({ from, to }) }
}

/** As fast as it is read, and no further once whoever asked has hung up. */
async function sendCsv(res: Response, name: string, lines: AsyncIterable<string>): Promise<void> {
  res.type('text/csv').attachment(name)
  await pipeline(lines, res)
}

function render(req: Request, res: Response, view: string, current: SupportPage, locals: object): void {
  res.render(`onboarding/support/${view}`, { ...locals, ...frameLocals(req, res, current) })
}

/** Every member of a query as undefined, so that a filter always has all of them. */
const emptyFilter = <T extends { shape: object }>({ shape }: T) =>
  Object.fromEntries(Object.keys(shape).map((name) => [name, undefined])) as { [Name in keyof T['shape']]: undefined }
