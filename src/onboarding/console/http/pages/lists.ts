import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import type { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { ConnectionSort, LinkSort } from '../../../domain/ports/support-ledger.ts'
import { exportAudit, exportConnections, exportLinks } from '../../flows/export-list.ts'
import { listConnections, listLinks, personMeant, readSuggested, search } from '../../flows/read-support.ts'
import { supportActor } from '../console-guards.ts'
import { takeNotice } from '../console-session.ts'
import { auditLocals } from '../locals/audit.ts'
import { doneNotice } from '../locals/connection.ts'
import { renderSupport } from '../locals/frame.ts'
import { appChoices, ignoredWords } from '../locals/lists/filters.ts'
import { auditFile, connectionsFile, linksFile } from '../locals/lists/list-files.ts'
import { connectionsLocals, linksLocals, searchLocals } from '../locals/lists/lists.ts'
import { orderOf, sortLocals } from '../locals/lists/sorting.ts'
import { deliveriesLocals } from '../locals/webhooks.ts'
import { personHref } from '../locals/words.ts'
import type { PageParts } from '../page-parts.ts'
import {
  AuditQuery,
  ConnectionsQuery,
  DeliveriesQuery,
  LinksQuery,
  pagerLocals,
  queryOf,
  readFilter,
  SearchQuery,
  spanOf,
  withQuery,
  withStateNamed,
} from './queries.ts'
import { savedViewsLocals } from './saved-views.ts'

const limit = 50

export function listPages({ ports, integrations }: PageParts) {
  const withAppId = <Params extends { integration?: string | undefined }>(params: Params): Params =>
    params.integration === undefined
      ? params
      : { ...params, integration: appChoices(integrations()).idOf(params.integration) }
  const readConnections = (query: object) => {
    const { read, ignored } = readFilter(ConnectionsQuery, query)
    return { ...withAppId(read), ignored }
  }
  const readLinks = (query: object) => {
    const { read, ignored } = readFilter(LinksQuery, withStateNamed({ ...query }))
    return { ...withAppId(read), ignored }
  }
  const apps = () => ({ integrations: integrations(), apps: appChoices(integrations()) })
  return exactRouter()
    .get('/search', async (req, res) => {
      const { q, suggest } = SearchQuery.parse(req.query)
      const found = await search(ports, q)
      const person = suggest ? undefined : personMeant(found)
      if (person) return res.redirect(303, personHref(person.tenant, person.endUser.id))
      const locals = searchLocals({ q, found, integrations: integrations(), now: new Date() })
      renderSupport(req, res, 'search', undefined, locals)
    })
    .get('/connections', async (req, res) => {
      const { cursor, ignored, ...params } = readConnections(req.query)
      const [list, suggested] = await Promise.all([
        listConnections(ports, { ...connectionFilter(params), cursor, limit }),
        readSuggested(ports),
      ])
      renderSupport(req, res, 'connections', '/support/connections', {
        ...connectionsLocals({ list, filter: params, ...apps(), suggested, now: new Date() }),
        ...pagerLocals('/support/connections', { ...params, cursor }, list.nextCursor),
        ...(await savedViewsLocals({ ports }, req, { list: 'connections', filter: params })),
        sort: sortLocals(params.order, (order) => withQuery('/support/connections', { ...params, order })),
        exportHref: `/support/connections.csv?${queryOf(params)}`,
        ignored: ignoredWords(ignored),
      })
    })
    .get('/connections.csv', async (req, res) => {
      const { cursor: _none, ignored: _ignored, ...params } = readConnections(req.query)
      const asked = { actor: supportActor(req, res), filter: connectionFilter(params) }
      await sendCsv(res, 'causeway-connections.csv', connectionsFile(await exportConnections(ports, asked)))
    })
    .get('/links', async (req, res) => {
      const { cursor, ignored, ...params } = readLinks(req.query)
      const [list, suggested] = await Promise.all([
        listLinks(ports, { ...linkFilter(params), cursor, limit }),
        readSuggested(ports),
      ])
      renderSupport(req, res, 'links', '/support/links', {
        ...linksLocals({ list, filter: params, ...apps(), suggested, now: new Date() }),
        ...pagerLocals('/support/links', { ...params, cursor }, list.nextCursor),
        ...(await savedViewsLocals({ ports }, req, { list: 'links', filter: params })),
        sort: sortLocals(params.order, (order) => withQuery('/support/links', { ...params, order })),
        exportHref: `/support/links.csv?${queryOf(params)}`,
        ignored: ignoredWords(ignored),
        done: takeNotice(req),
      })
    })
    .get('/links.csv', async (req, res) => {
      const { cursor: _none, ignored: _ignored, ...params } = readLinks(req.query)
      const asked = { actor: supportActor(req, res), filter: linkFilter(params) }
      await sendCsv(res, 'causeway-links.csv', linksFile(await exportLinks(ports, asked)))
    })
    .get('/webhooks', async (req, res) => {
      const { read, ignored } = readFilter(DeliveriesQuery, req.query)
      const { cursor, ...filter } = read
      const [page, receivers, suggested] = await Promise.all([
        ports.support.deliveries({ ...emptyFilter(DeliveriesQuery), ...filter, cursor, limit }),
        ports.support.receivers(filter.tenant, limit),
        readSuggested(ports),
      ])
      renderSupport(req, res, 'webhooks', '/support/webhooks', {
        ...deliveriesLocals({ page, receivers, filter, suggested, now: new Date() }),
        ...pagerLocals('/support/webhooks', { ...filter, cursor }, page.nextCursor),
        ...(await savedViewsLocals({ ports }, req, { list: 'webhooks', filter })),
        ignored: ignoredWords(ignored),
        done: doneNotice(req.query.done),
      })
    })
    .get('/audit', async (req, res) => {
      const { read, ignored } = readFilter(AuditQuery, req.query)
      const { cursor, ...params } = read
      const [page, suggested] = await Promise.all([
        ports.support.audit({ ...auditFilter(params), cursor, limit }),
        readSuggested(ports),
      ])
      renderSupport(req, res, 'audit', '/support/audit', {
        ...auditLocals(page.data, params, suggested, new Date()),
        ...pagerLocals('/support/audit', { ...params, cursor }, page.nextCursor),
        ...(await savedViewsLocals({ ports }, req, { list: 'audit', filter: params })),
        exportHref: `/support/audit.csv?${queryOf(params)}`,
        ignored: ignoredWords(ignored),
      })
    })
    .get('/audit.csv', async (req, res) => {
      const { cursor: _none, ...params } = AuditQuery.parse(req.query)
      const asked = { actor: supportActor(req, res), filter: auditFilter(params) }
      await sendCsv(res, 'causeway-audit.csv', auditFile(await exportAudit(ports, asked)))
    })
}

type ConnectionParams = Omit<z.infer<typeof ConnectionsQuery>, 'cursor'>
type LinkParams = Omit<z.infer<typeof LinksQuery>, 'cursor'>
type AuditParams = Omit<z.infer<typeof AuditQuery>, 'cursor'>

function connectionFilter({ from, to, health, order, ...filter }: ConnectionParams) {
  const judged = { healthUnknown: health === 'unknown', grantEnding: health === 'ending' }
  const sorted = { order: orderOf<ConnectionSort>(order) }
  return { ...emptyFilter(ConnectionsQuery), ...filter, ...sorted, ...judged, ...spanOf({ from, to }) }
}

function linkFilter({ from, to, retrying, order, ...filter }: LinkParams) {
  const sorted = { order: orderOf<LinkSort>(order) }
  return { ...emptyFilter(LinksQuery), ...filter, ...sorted, retrying: retrying === 'yes', ...spanOf({ from, to }) }
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
