import type { Request, Response } from 'express'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import type { ConsoleFlows } from '../../flows/console-flows.ts'
import { doneNotice } from '../locals/connection.ts'
import { frameLocals, type SupportPage } from '../locals/frame.ts'
import { connectionsLocals, linksLocals, searchLocals } from '../locals/lists.ts'
import { deliveriesLocals } from '../locals/webhooks.ts'
import { ConnectionsQuery, DeliveriesQuery, LinksQuery, pagerLocals, SearchQuery } from './queries.ts'

type Flows = Pick<ConsoleFlows, 'search' | 'listConnections' | 'listLinks' | 'listDeliveries' | 'listReceivers'>

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
      render(req, res, 'search', undefined, searchLocals(q, await console.search(q), new Date()))
    })
    .get('/connections', async (req, res) => {
      const { cursor, ...filter } = ConnectionsQuery.parse(req.query)
      const healthUnknown = filter.health === 'unknown'
      const page = await console.listConnections({
        ...emptyFilter(ConnectionsQuery),
        ...filter,
        healthUnknown,
        cursor,
        limit,
      })
      const pager = pagerLocals('/support/connections', { ...filter, cursor }, page.nextCursor)
      const locals = connectionsLocals({ page, filter, integrations: integrations(), now: new Date() })
      render(req, res, 'connections', '/support/connections', { ...locals, ...pager })
    })
    .get('/links', async (req, res) => {
      const { cursor, ...filter } = LinksQuery.parse(req.query)
      const retrying = filter.retrying === 'yes'
      const page = await console.listLinks({ ...emptyFilter(LinksQuery), ...filter, retrying, cursor, limit })
      const pager = pagerLocals('/support/links', { ...filter, cursor }, page.nextCursor)
      const locals = linksLocals({ page, filter, now: new Date() })
      render(req, res, 'links', '/support/links', { ...locals, done: doneNotice(req.query.done), ...pager })
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

function render(req: Request, res: Response, view: string, current: SupportPage, locals: object): void {
  res.render(`onboarding/support/${view}`, { ...locals, ...frameLocals(req, res, current) })
}

/** Every member of a query as undefined, so that a filter always has all of them. */
const emptyFilter = <T extends { shape: object }>({ shape }: T) =>
  Object.fromEntries(Object.keys(shape).map((name) => [name, undefined])) as { [Name in keyof T['shape']]: undefined }
