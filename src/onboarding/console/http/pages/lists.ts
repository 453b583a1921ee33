import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import type { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { exportAudit, exportConnections, exportLinks } from '../../flows/export-list.ts'
import { search } from '../../flows/read-support.ts'
import { supportActor } from '../console-guards.ts'
import { takeNotice } from '../console-session.ts'
import { auditLocals } from '../locals/audit.ts'
import { doneNotice } from '../locals/connection.ts'
import { renderSupport } from '../locals/frame.ts'
import { auditFile, connectionsFile, linksFile } from '../locals/list-files.ts'
import { connectionsLocals, linksLocals, searchLocals } from '../locals/lists.ts'
import { deliveriesLocals } from '../locals/webhooks.ts'
import type { PageParts } from '../page-parts.ts'
import {
  AuditQuery,
  ConnectionsQuery,
  DeliveriesQuery,
  LinksQuery,
  pagerLocals,
  queryOf,
  SearchQuery,
  spanOf,
} from './queries.ts'

const limit = 50

export const listPages = ({ ports, integrations }: PageParts) =>
  exactRouter()
    .get('/search', async (req, res) => {
      const { q } = SearchQuery.parse(req.query)
      const found = await search(ports, q)
      const locals = searchLocals({ q, found, integrations: integrations(), now: new Date() })
      renderSupport(req, res, 'search', undefined, locals)
    })
    .get('/connections', async (req, res) => {
      const { cursor, ...params } = ConnectionsQuery.parse(req.query)
      const page = await ports.support.connections({ ...connectionFilter(params), cursor, limit })
      const pager = pagerLocals('/support/connections', { ...params, cursor }, page.nextCursor)
      const locals = connectionsLocals({ page, filter: params, integrations: integrations(), now: new Date() })
      const exportHref = `/support/connections.csv?${queryOf(params)}`
      renderSupport(req, res, 'connections', '/support/connections', { ...locals, ...pager, exportHref })
    })
    .get('/connections.csv', async (req, res) => {
      const { cursor: _none, ...params } = ConnectionsQuery.parse(req.query)
      const asked = { actor: supportActor(req, res), filter: connectionFilter(params) }
      await sendCsv(res, 'causeway-connections.csv', connectionsFile(await exportConnections(ports, asked)))
    })
    .get('/links', async (req, res) => {
      const { cursor, ...params } = LinksQuery.parse(req.query)
      const page = await ports.support.links({ ...linkFilter(params), cursor, limit })
      const pager = pagerLocals('/support/links', { ...params, cursor }, page.nextCursor)
      const locals = linksLocals({ page, filter: params, integrations: integrations(), now: new Date() })
      const exportHref = `/support/links.csv?${queryOf(params)}`
      const done = takeNotice(req)
      renderSupport(req, res, 'links', '/support/links', { ...locals, done, ...pager, exportHref })
    })
    .get('/links.csv', async (req, res) => {
      const { cursor: _none, ...params } = LinksQuery.parse(req.query)
      const asked = { actor: supportActor(req, res), filter: linkFilter(params) }
      await sendCsv(res, 'causeway-links.csv', linksFile(await exportLinks(ports, asked)))
    })
    .get('/webhooks', async (req, res) => {
      const { cursor, ...filter } = DeliveriesQuery.parse(req.query)
      const [page, receivers] = await Promise.all([
        ports.support.deliveries({ ...emptyFilter(DeliveriesQuery), ...filter, cursor, limit }),
        ports.support.receivers(filter.tenant, limit),
      ])
      const pager = pagerLocals('/support/webhooks', { ...filter, cursor }, page.nextCursor)
      const locals = deliveriesLocals({ page, receivers, filter, now: new Date() })
      const done = doneNotice(req.query.done)
      renderSupport(req, res, 'webhooks', '/support/webhooks', { ...locals, done, ...pager })
    })
    .get('/audit', async (req, res) => {
      const { cursor, ...params } = AuditQuery.parse(req.query)
      const page = await ports.support.audit({ ...auditFilter(params), cursor, limit })
      const pager = pagerLocals('/support/audit', { ...params, cursor }, page.nextCursor)
      const exportHref = `/support/audit.csv?${queryOf(params)}`
      renderSupport(req, res, 'audit', '/support/audit', { ...auditLocals(page.data, params), ...pager, exportHref })
    })
    .get('/audit.csv', async (req, res) => {
      const { cursor: _none, ...params } = AuditQuery.parse(req.query)
      const asked = { actor: supportActor(req, res), filter: auditFilter(params) }
      await sendCsv(res, 'causeway-audit.csv', auditFile(await exportAudit(ports, asked)))
    })

type ConnectionParams = Omit<z.infer<typeof ConnectionsQuery>, 'cursor'>
type LinkParams = Omit<z.infer<typeof LinksQuery>, 'cursor'>
type AuditParams = Omit<z.infer<typeof AuditQuery>, 'cursor'>

function connectionFilter({ from, to, health, ...filter }: ConnectionParams) {
  const judged = { healthUnknown: health === 'unknown', grantEnding: health === 'ending' }
  return { ...emptyFilter(ConnectionsQuery), ...filter, ...judged, ...spanOf({ from, to }) }
}

function linkFilter({ from, to, retrying, ...filter }: LinkParams) {
  return { ...emptyFilter(LinksQuery), ...filter, retrying: retrying === 'yes', ...spanOf({ from, to }) }
}

function auditFilter({ from, to, ...filter }: AuditParams) {
  const { cursor: _none, ...empty } = emptyFilter(AuditQuery)
  return { ...empty, ...filter, ...spanOf({ from, to }) }
}

/** The pipeline applies backpressure and stops when the client disconnects. */
async function sendCsv(res: Response, name: string, lines: AsyncIterable<string>): Promise<void> {
  res.type('text/csv').attachment(name)
  await pipeline(lines, res)
}

/** All members undefined, so that a filter always has all of them. */
const emptyFilter = <T extends { shape: object }>({ shape }: T) =>
  Object.fromEntries(Object.keys(shape).map((name) => [name, undefined])) as { [Name in keyof T['shape']]: undefined }
